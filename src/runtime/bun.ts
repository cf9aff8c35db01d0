import { constants, Database, SQLiteError } from 'bun:sqlite';
import http from 'node:http';
import { beforeEnd } from '../http/download.ts';
import type { ColumnValue } from '../model/field.ts';
import { type SqliteConnection, SqliteFault } from '../store/engines/sqlite/connection/driver.ts';
import { Names } from '../webhooks/names.ts';
import { addressesOf } from '../webhooks/send.ts';
import { largestHead, lingering, mayLast, mayStream, keepAlive as usual } from './limits.ts';
import { OpenStreams } from './open-streams.ts';
import { cutConnections, hasConnections, readyToRefuse } from './refuse-connections.ts';
import type { Runtime } from './runtime.ts';

/** The deletion of a record that takes many others along, and the change of a definition, may take minutes. */
const mayTakeLong: ReadonlySet<string> = new Set(['DELETE', 'PUT']);

const names = new Names({
  quick: async (name) => (await Bun.dns.lookup(name, { backend: 'c-ares' })).map(({ address }) => address),
  system: addressesOf,
});

export const bunRuntime: Runtime = {
  name: `Bun ${Bun.version}`,
  sqlite: { open },
  resolve: (name) => names.resolve(name),
  // Two collections leave 60 MB after the use of 1,000 projects, and this 41.
  rest: () => Bun.shrink(),
  async listen({ host, port, shared = false, keepAlive = usual, longestWait = 0, fetch }) {
    const isPatient = longestWait >= keepAlive * 1000;
    // A setter in Bun, which applies to servers that are started afterwards.
    Object.assign(http, { maxHeaderSize: largestHead });
    const streams = new OpenStreams();
    const server = Bun.serve({
      hostname: host,
      port,
      development: false,
      reusePort: shared, // without it, Bun would silently share a port that is taken
      idleTimeout: keepAlive,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER, // our own limit has our own message
      fetch: (request, bun) => {
        const streamed = mayStream.test(request.url);
        if (streamed) streams.add(request, bun);
        const answer = fetch(request, () => bun.requestIP(request)?.address ?? '', true);
        if (streamed || !(answer instanceof Promise)) return answer;
        const long = isPatient || mayTakeLong.has(request.method) || mayLast.test(request.url);
        if (!long) return answer;
        // A connection that waits for its answer, or for the next part of it, would count as idle and be closed.
        bun.timeout(request, 0);
        const idle = () => bun.timeout(request, keepAlive);
        answer.then((response) => beforeEnd(response, idle), idle);
        return answer;
      },
    });
    const bound = server.port ?? port;
    let refused = false;
    return {
      port: bound,
      async refuse() {
        const refuseNow = readyToRefuse(bound);
        // A connection that the system has made but we have not accepted yet would be lost. There is hardly any right after a
        // turn of the event loop in which nothing happened.
        for (let turn = 0; turn < 50; turn++) {
          await Bun.sleep(1);
          if (server.pendingRequests === 0) break;
        }
        refused = refuseNow();
      },
      async stop() {
        const begun = performance.now();
        const lingers = (ms: number) => performance.now() < begun + ms && hasConnections(bound);
        while (refused && lingers(lingering / 2)) await Bun.sleep(20);
        // Clients that have not read the end of their stream by now are not reading at all: Bun would wait for them for ever.
        const unread = streams.open(server);
        for (const [request] of unread) server.timeout(request, 1); // takes up to four seconds, where cutConnections can do nothing
        if (refused) cutConnections(bound, new Set(unread.values()));
        while (refused && lingers(lingering)) await Bun.sleep(20);
        // In a process that stood still the time may be over before a request is read that arrived meanwhile: that comes first.
        await Bun.sleep(1);
        const stopped = server.stop();
        const later = async () => {
          await Bun.sleep(100);
          await Bun.sleep(1); // for the same reason
          return true;
        };
        // Bun would also wait for clients that are connected and have never sent anything.
        while (refused && (await Promise.race([stopped.then(() => false), later()])))
          if (server.pendingRequests === 0) cutConnections(bound);
        await stopped;
      },
      abandon: () => void server.stop(true),
    };
  },
  provide(name, _module, exports) {
    // From the loaded module, as the executable has no file for it.
    const load = () => ({ exports, loader: 'object' as const });
    Bun.plugin({ name, setup: (build) => void build.module(name, load) });
  },
};

function open(path: string): SqliteConnection {
  const db = guard(() => new Database(path, { create: false, readwrite: true }));
  return {
    exec: (sql) => guard(() => void db.run(sql)),
    prepare(sql) {
      const statement = guard(() => db.prepare<unknown, ColumnValue[]>(sql));
      return {
        rows: (values) => guard(() => statement.values(...values) as ColumnValue[][]),
        run(values) {
          try {
            return statement.run(...values).changes;
          } catch (error) {
            throw faultOf(error);
          }
        },
        finalize: () => statement.finalize(),
      };
    },
    isInTransaction: () => db.inTransaction,
    close() {
      guard(() => db.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 0));
      db.close();
    },
  };
}

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw faultOf(error);
  }
}

function faultOf(error: unknown): unknown {
  return error instanceof SQLiteError ? new SqliteFault(error.errno, error.message, error) : error;
}
