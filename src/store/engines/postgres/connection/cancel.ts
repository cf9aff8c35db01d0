import { createConnection } from 'node:net';

/** The key with which PostgreSQL lets a session's statements be cancelled. */
export interface BackendKey {
  readonly pid: number;
  readonly secret: number;
}

export type ServerAddress = { readonly path: string } | { readonly host: string; readonly port: number };

const cancelCode = 80_877_102;

/**
 * Asks the server to cancel what a session is doing. This takes none of the server's connections, so it also works when they
 * are exhausted. The server does not reply but closes the socket: true if it did within `timeout` milliseconds.
 */
export function requestCancel(
  address: ServerAddress,
  { pid, secret }: BackendKey,
  timeout: number,
): Promise<boolean> {
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(cancelCode, 4);
  message.writeInt32BE(pid | 0, 8);
  message.writeInt32BE(secret | 0, 12);
  return new Promise((resolve) => {
    const socket = 'path' in address ? createConnection(address.path) : createConnection(address);
    const done = (asked: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(asked);
    };
    const timer = setTimeout(() => done(false), timeout);
    socket.once('connect', () => socket.write(message));
    socket.once('error', () => done(false));
    socket.once('close', () => done(true));
    socket.resume();
  });
}
