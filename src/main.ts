#!/usr/bin/env bun
import { fileURLToPath } from 'node:url';
import { findBuilt } from './runtime/built.ts';

const built = findBuilt(fileURLToPath(new URL('..', import.meta.url)));
if (built === undefined) await import('./command-line.ts');
else await import(built);
