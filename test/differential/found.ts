import type { Step } from './step.ts';

/** Sequences that once got different answers. */
export const found: Readonly<Record<string, readonly Step[]>> = {};
