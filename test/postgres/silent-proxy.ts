import { connect, createServer, type Socket } from 'node:net';

/** Stands between a node and PostgreSQL, and lets nothing through any more on connections by which something was asked. */
export interface SilentProxy {
  /** The address of the database through it. */
  readonly url: string;
  /** How many connections it is silent on. */
  readonly silenced: number;
  close(): Promise<void>;
}

export async function startSilentProxy(database: string, asked: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(database);
  const sockets = new Set<Socket>();
  let silenced = 0;
  const server = createServer((client) => {
    const beyond = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      beyond.destroy();
    };
    sockets.add(client);
    let silent = false;
    client.on('data', (part) => {
      if (!silent && part.includes(asked)) {
        silent = true;
        silenced += 1;
      }
      if (!silent) beyond.write(part);
    });
    beyond.on('data', (part) => {
      if (!silent) client.write(part);
    });
    for (const socket of [client, beyond]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(database);
  url.port = String(typeof address === 'object' ? address?.port : 0);
  return {
    url: url.href,
    get silenced() {
      return silenced;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
