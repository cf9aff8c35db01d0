import { type AddressInfo, Server } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ColumnValue } from '../model/field.ts';
import { type SqliteConnection, SqliteFault } from '../store/engines/sqlite/connection/driver.ts';
import { addressesOf } from '../webhooks/send.ts';
import { lingering } from './limits.ts';
import { createNodeServer } from './node-server.ts';
import type { Runtime } from './runtime.ts';

export const nodeRuntime: Runtime = {
  name: `Node ${process.versions.node}`,
  sqlite: { open },
  provide,
  resolve: addressesOf, // this uses at most half of the threads
  rest() {}, // Node has no call for it; V8 shrinks the heap of an idle process by itself
  async listen({ host, port, shared = false, keepAlive, fetch }) {
    const { server, streams, closeSilent } = createNodeServer(fetch, keepAlive);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject).listen({ port, host, reusePort: shared }, resolve);
    await promise;
    let closed: Promise<unknown> | undefined;
    // The server's own close would also end idle connections, on one of which a request may be arriving.
    const close = () => new Promise((done) => Server.prototype.close.call(server, done));
    return {
      port: (server.address() as AddressInfo).port,
      async refuse() {
        await untilQuiet(server);
        closed ??= close();
      },
      async stop() {
        closed ??= close();
        // Clients that have not read the end of their stream by then are not reading at all.
        const cut = setTimeout(() => streams.forEach(({ socket }) => void socket?.destroy()), lingering / 2);
        // In a process that stood still the time may be over before a request is read that arrived meanwhile: that comes first.
        const linger = setTimeout(() => {
          setImmediate(() => {
            server.closeIdleConnections();
            closeSilent();
          });
        }, lingering);
        await closed;
        clearTimeout(cut);
        clearTimeout(linger);
      },
      abandon() {
        server.close();
        server.closeAllConnections();
      },
    };
  },
};

/**
 * A connection that the system has made but we have not accepted yet is lost when others are refused. A turn of the event loop
 * accepts only one of those that wait, so hardly any is left after a short turn that accepted none.
 */
async function untilQuiet(server: Server): Promise<void> {
  let accepted = 0;
  server.on('connection', () => accepted++);
  for (let turn = 0; turn < 50; turn++) {
    await sleep(1); // the system rarely preempts a process that has just slept
    const begun = performance.now();
    accepted = 0;
    await nextTurn();
    if (accepted === 0 && performance.now() - begun < shortTurn) return;
  }
}

/** Milliseconds that a turn without events takes at most. */
const shortTurn = 0.5;

function provide(name: string, module: URL): void {
  // Looked up here and not imported: Bun does not have it, and an executable would not start with the import.
  process.getBuiltinModule('node:module').registerHooks({
    resolve: (specifier, context, next) =>
      specifier === name ? { url: module.href, shortCircuit: true } : next(specifier, context),
  });
}

function open(path: string): SqliteConnection {
  const file = pathToFileURL(path);
  file.search = '?mode=rw'; // otherwise SQLite would create a missing file
  const db = guard(() => new DatabaseSync(file));
  return {
    exec: (sql) => guard(() => db.exec(sql)),
    prepare(sql) {
      const statement = guard(() => db.prepare(sql));
      statement.setReturnArrays(true);
      return {
        rows: (values) => guard(() => statement.all(...values) as unknown as ColumnValue[][]),
        run: (values) => guard(() => Number(statement.run(...values).changes)),
        finalize() {}, // happens when it is garbage-collected
      };
    },
    isInTransaction: () => db.isTransaction,
    close: () => db.close(),
  };
}

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'errcode' in error) {
      throw new SqliteFault(Number(error.errcode), error.message, error);
    }
    throw error;
  }
}
