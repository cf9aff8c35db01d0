import { connect, createServer, type Socket } from 'node:net';

/** Stands between a node and PostgreSQL. */
export interface DatabaseProxy {
  /** The address of the database through it. */
  readonly url: string;
  close(): Promise<void>;
}

/** `connected`: passes on what comes from either side, or does not; `end` breaks the connection. */
export async function startProxy(
  database: string,
  connected: (client: Socket, beyond: Socket, end: () => void) => void,
): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(database);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const beyond = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      beyond.destroy();
      sockets.delete(client);
    };
    sockets.add(client);
    connected(client, beyond, end);
    for (const socket of [client, beyond]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(database);
  url.port = String(typeof address === 'object' ? address?.port : 0);
  return {
    url: url.href,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
