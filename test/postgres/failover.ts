import { freshDatabase, type PostgresServer, startPostgres } from '../postgres-server.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { rowsOf, until } from './nodes.ts';

/** Two nodes over a primary with a standby that is caught up. */
export interface FailoverWorld {
  readonly nodes: readonly [PostgresApp, PostgresApp];
  /** What is committed from now on does not get to the standby. */
  stopStandby(): Promise<void>;
  /** The primary is gone, with whatever the standby did not get. */
  failOver(): Promise<void>;
  /** A node that knows nothing from before. */
  freshNode(): Promise<PostgresApp>;
  close(): Promise<void>;
}

/** `prepare` is done before the standby is made, so the standby has all of it. */
export async function startFailoverWorld(
  prepare: (node: PostgresApp) => Promise<void>,
): Promise<FailoverWorld> {
  const primary = await startPostgres();
  const database = await freshDatabase(primary.url);
  const first = await startPostgresApp({ url: database.url });
  await prepare(first);
  await first.close();
  const standby = await primary.standby();
  const url = addressOf(database.url, primary, standby);
  const nodes = [await startPostgresApp({ url }), await startPostgresApp({ url })] as const;
  const opened: PostgresApp[] = [...nodes];
  return {
    nodes,
    async stopStandby() {
      await caughtUp(primary, standby);
      await standby.stop();
    },
    async failOver() {
      await primary.stop('immediate');
      await standby.start();
      await standby.promote();
    },
    async freshNode() {
      const node = await startPostgresApp({ url });
      opened.push(node);
      return node;
    },
    async close() {
      await Promise.all(opened.map((node) => node.close()));
      await standby.remove();
      await primary.remove();
    },
  };
}

/** Either is the primary. */
function addressOf(database: string, ...servers: readonly PostgresServer[]): string {
  const hosts = servers.map(({ url }) => new URL(url).host).join(',');
  return database.replace(/@[^/]+/, () => `@${hosts}`);
}

async function caughtUp(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  const [[written]] = (await rowsOf(primary.url, 'SELECT pg_current_wal_flush_lsn()')) as [[unknown]];
  const replayed = `SELECT 1 WHERE pg_last_wal_replay_lsn() >= '${written}'`;
  await until('the standby has it all', async () => (await rowsOf(standby.url, replayed)).length > 0, 90_000);
}
