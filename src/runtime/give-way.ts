import { platform, setPriority } from 'node:os';

/** Where there are too few cores for all threads, serving goes first. Only Linux has priorities for threads. */
export function giveWay(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(0, 5);
  } catch {} // a sandbox may not allow it
}
