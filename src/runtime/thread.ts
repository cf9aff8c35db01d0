import { platform, setPriority } from 'node:os';
import { type MessagePort, parentPort } from 'node:worker_threads';

/**
 * The beginning of a thread, which gives way to the one that serves. What it throws ends the thread. A callback, as Bun compiles no
 * module that awaits at its top.
 */
export function beginThread(work: (port: MessagePort) => Promise<void>): void {
  const port = parentPort;
  if (!port) throw new Error('this file is the beginning of a thread');
  giveWay();
  void work(port);
}

/** Lowers the priority of this thread, so that serving comes first if there are too few cores. Only Linux has that per thread. */
function giveWay(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(0, 5);
  } catch {} // a sandbox may not allow it
}
