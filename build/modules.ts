import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What a build begins with: the program, and the modules of its threads, which nothing imports. */
export const modules: readonly string[] = [
  'src/command-line.ts',
  ...globSync('src/runtime/*-thread.ts', { cwd: fileURLToPath(new URL('..', import.meta.url)) }),
];
