import { createConnection, type Socket } from 'node:net';

/** Where PostgreSQL listens, as the driver read it from the address: the first host that answers is taken. */
export interface Listening {
  readonly path?: string | false;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

/**
 * A socket that is connected, within so many milliseconds. Left to itself the driver tries again without end, and
 * without a pause, where something accepts connections only to close them.
 */
export async function connectSocket(
  { path, host, port }: Listening,
  timeout: number,
): Promise<Socket & { host?: string; port?: number }> {
  if (path) return connected(createConnection(path), timeout);
  let failure: unknown = new Error('no host to connect to');
  for (const [index, name] of host.entries()) {
    const number = port[index] ?? 5432;
    try {
      const socket = await connected(createConnection(number, name), timeout / host.length);
      return Object.assign(socket, { host: name, port: number }); // TLS verifies the name
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function connected(socket: Socket, timeout: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(Object.assign(new Error('no connection in time'), { code: 'CONNECT_TIMEOUT' })),
      timeout,
    );
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeListener('error', fail);
      resolve(socket);
    });
  });
}
