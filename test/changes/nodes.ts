import { openPostgresEngine } from '../../src/store/engines/postgres/engine.ts';
import type { Dice } from '../durability/dice.ts';
import { startApp, type TestApp } from '../harness.ts';
import { asSuperuser, freshDatabase, startPostgres } from '../postgres-server.ts';
import { type NamedStorage, sqliteStorage, testEngine } from '../storage.ts';
import { workersOf } from '../workers/processes.ts';
import { Server } from './server.ts';

/** What can happen to those that serve, by name. */
export type Disturbances = Readonly<Record<string, () => Promise<void>>>;

/** Some nodes over the same storage, which end in every way while they are used. */
export interface Nodes {
  /** By any of them. Rejects where no answer came, or one of a node that was ended meanwhile. */
  fetch(path: string, init: RequestInit): Promise<Response>;
  readonly disturbances: Disturbances;
  /** What those that run now have logged as errors. */
  errors(): readonly unknown[];
  close(): Promise<void>;
}

/** Storage of its own, with what can happen to it. */
export interface RoughStorage extends NamedStorage {
  readonly disturbances: Disturbances;
}

/** PostgreSQL gets a server of its own, which is stopped and crashes; SQLite's files can come to no harm while a node is there. */
export async function roughStorage(): Promise<RoughStorage> {
  if (testEngine === 'sqlite') return { ...(await sqliteStorage()), disturbances: {} };
  const server = await startPostgres();
  const { url } = await freshDatabase(server.url);
  const restart = async (mode: 'fast' | 'immediate') => {
    await server.stop(mode);
    await server.start();
  };
  return {
    flags: ['--database', url],
    open: () => openPostgresEngine({ url, log: { info() {} }, pool: 6 }),
    remove: () => server.remove(),
    disturbances: {
      'PostgreSQL restarted': () => restart('fast'),
      'PostgreSQL crashed': () => restart('immediate'),
      'connections cut': () =>
        asSuperuser(
          url,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name = 'vitrine' AND datname = current_database() AND random() < 0.3`,
        ),
    },
  };
}

/** One node in this process, which starts again from time to time. */
export async function localNode(storage: RoughStorage): Promise<Nodes> {
  const start = () => startApp({ storage, unchecked: true });
  const gone = new Set<TestApp>();
  let node = await start();
  return {
    async fetch(path, init) {
      const asked = node;
      const response = await asked.fetch(new Request(`http://vitrine.test${path}`, init));
      if (gone.has(asked) && response.status >= 500) throw new Error('the node has ended');
      return response;
    },
    disturbances: {
      ...storage.disturbances,
      async 'node restarted'() {
        const old = node;
        node = await start();
        gone.add(old);
        await old.close();
      },
    },
    errors: () => node.logged,
    close: () => node.close(),
  };
}

/** Three that serve, in processes of their own: with PostgreSQL as nodes, with SQLite as the workers of one. */
export async function serverNodes(storage: RoughStorage, dice: Dice): Promise<Nodes> {
  const [count, words] = testEngine === 'postgres' ? [3, []] : [1, ['--workers', '3']];
  const servers: Server[] = [];
  for (let made = 0; made < count; made++) servers.push(await Server.start(storage, ...words));
  const again = async (signal: NodeJS.Signals) => {
    const index = dice.below(count);
    servers[index]?.kill(signal);
    await servers[index]?.exit;
    servers[index] = await Server.start(storage, ...words);
  };
  const killWorker = async () => {
    const pid = dice.pick(workersOf(servers[0]?.pid ?? 0));
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  };
  return {
    fetch: (path, init) => fetch(`${dice.pick(servers)?.base}${path}`, init),
    disturbances: {
      ...storage.disturbances,
      'node killed': () => again('SIGKILL'),
      'node stopped': () => again('SIGTERM'),
      ...(testEngine === 'sqlite' && { 'worker killed': killWorker }),
    },
    errors: () => servers.flatMap(({ output }) => output.match(/^.*"level":"error".*$/gm) ?? []),
    async close() {
      for (const server of servers) await server.end();
    },
  };
}
