import type { Runtime } from './runtime.ts';

/** Loads the runtime that this process runs on, and not the other. */
export async function loadRuntime(): Promise<Runtime> {
  return 'Bun' in globalThis
    ? (await import('./bun.ts')).bunRuntime
    : (await import('./node.ts')).nodeRuntime;
}
