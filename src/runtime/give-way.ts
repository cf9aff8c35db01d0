import { platform, setPriority } from 'node:os';

/** Lowers the priority of this thread, so that serving comes first if there are too few cores. Only Linux has that per thread. */
export function giveWay(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(0, 5);
  } catch {} // a sandbox may not allow it
}
