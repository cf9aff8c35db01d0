import type { Runtime } from './runtime.ts';

/** The one that this process runs on; the other is not even loaded. */
export async function loadRuntime(): Promise<Runtime> {
  return 'Bun' in globalThis
    ? (await import('./bun.ts')).bunRuntime
    : (await import('./node.ts')).nodeRuntime;
}
