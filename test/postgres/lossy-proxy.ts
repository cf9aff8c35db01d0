import { connect, createServer, type Socket } from 'node:net';

/** Stands between a node and PostgreSQL, and breaks some connections at the worst moment: during a commit. */
export interface LossyProxy {
  /** The address of the database through it. */
  readonly url: string;
  /** How many commits were done whose answer was lost, and how many never arrived. */
  readonly broken: { done: number; undone: number };
  /** Until then, and after it, all arrives. */
  breaking(on: boolean): void;
  close(): Promise<void>;
}

const commit = Buffer.from('COMMIT\0');

/** Of so many commits one is done without an answer, and another is not done. */
export async function startLossyProxy(database: string, every: number): Promise<LossyProxy> {
  const { hostname, port } = new URL(database);
  const sockets = new Set<Socket>();
  const broken = { done: 0, undone: 0 };
  let commits = 0;
  let breaking = false;
  const server = createServer((client) => {
    const beyond = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      beyond.destroy();
      sockets.delete(client);
    };
    sockets.add(client);
    let last = false;
    client.on('data', (part) => {
      const turn = breaking && part.includes(commit) ? ++commits % every : -1;
      if (turn === 1) {
        broken.undone += 1;
        return end();
      }
      last ||= turn === 0;
      beyond.write(part);
    });
    beyond.on('data', (part) => {
      if (!last) return client.write(part);
      broken.done += 1;
      end();
    });
    for (const socket of [client, beyond]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(database);
  url.port = String(typeof address === 'object' ? address?.port : 0);
  return {
    url: url.href,
    broken,
    breaking(on) {
      breaking = on;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
