import { dlopen } from 'bun:ffi';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const listening = '0A';
const established = '01';
const bothWays = 2;

/**
 * Has the system refuse new connections to a port of this process, while those that are open go on. Bun's own stop
 * closes idle connections with it, and a request that is on its way over one of them is lost: two or three with every
 * stop under load, none with this. Only on Linux; false where it can't be done.
 */
export function refuseConnections(port: number): boolean {
  try {
    const { symbols } = dlopen('libc.so.6', { shutdown: { args: ['int', 'int'], returns: 'int' } });
    const [...descriptors] = ownSockets(port, listening);
    return (
      descriptors.length > 0 &&
      descriptors.every((descriptor) => symbols.shutdown(descriptor, bothWays) === 0)
    );
  } catch {
    return false;
  }
}

/** Whether a client is connected to the port. */
export function hasConnections(port: number): boolean {
  return ownSockets(port, established).length > 0;
}

/** The descriptors of this process's sockets at a port that are in a state, as the system writes it. */
function ownSockets(port: number, state: string): number[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = new Set<string>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/self/net/${table}`, 'utf8').split('\n')) {
      const columns = line.trim().split(/\s+/);
      if (columns[1]?.endsWith(end) && columns[3] === state) sockets.add(`socket:[${columns[9]}]`);
    }
  }
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    return sockets.has(targetOf(`/proc/self/fd/${descriptor}`)) ? [Number(descriptor)] : [];
  });
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return ''; // closed meanwhile
  }
}
