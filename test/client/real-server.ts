import type { AddressInfo } from 'node:net';
import { connect, createServer as createNetServer, type Socket } from 'node:net';
import { createAdmin } from '../../client/admin.ts';
import { key, makePlace } from '../commands/support.ts';
import { shop } from './shop.ts';

export interface RealServer {
  readonly url: string;
  readonly admin: ReturnType<typeof createAdmin>;
  stop(): Promise<void>;
}

/** `vitrine serve` in a process of its own, on the runtime that runs the test, with the project of `shop.ts`. */
export async function startRealServer(): Promise<RealServer> {
  const place = await makePlace();
  const { url, stop } = await place.serve();
  const admin = createAdmin(url, { token: key });
  await admin.projects.create({ id: shop.id });
  for (const definition of shop.collections) await admin.project(shop.id).collections.create(definition);
  return {
    url,
    admin,
    async stop() {
      await stop();
      await place.remove();
    },
  };
}

/** What happens to one connection: it is cut before the request goes on, or after so many bytes of the answer. */
export type Cut = 'before' | number | undefined;

/** Stands before a server and cuts connections, as `next` says of each. */
export async function startCutter(target: string, next: () => Cut) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createNetServer((client) => {
    const cut = next();
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
    if (cut === 'before') {
      client.once('data', () => client.destroy());
      return;
    }
    client.pipe(upstream);
    let passed = 0;
    upstream.on('data', (part: Buffer) => {
      if (cut === undefined) return client.write(part);
      const rest = part.subarray(0, Math.max(0, cut - passed));
      passed += part.length;
      if (passed < cut) return client.write(part);
      return client.write(rest, () => client.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
