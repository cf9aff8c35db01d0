import type { Log } from '../../../log.ts';
import type { AccountsAccess } from '../../sql/accounts/accounts-access.ts';
import type { Connection } from '../../sql/dialect.ts';
import { tables } from '../../sql/tables.ts';
import { raw, sql } from '../../sql/tag.ts';
import { refuseNewer, runUpgrades } from '../../sql/upgrade.ts';
import { PostgresConnection } from './connection/connection.ts';
import { faultCode, isTableGone, translate } from './connection/faults.ts';
import type { Pool } from './connection/pool.ts';
import type { Session } from './connection/session.ts';
import { readOnly, transact } from './connection/transact.ts';
import { postgresDialect } from './dialect.ts';
import { instanceTablesIn } from './tables/system-tables.ts';
import { format, upgrades } from './tables/upgrades.ts';

const oldestServer = 15;

/** Serializes nodes that start at the same time, so that everything is created once. */
const alone = raw("SELECT pg_advisory_xact_lock(hashtextextended('vitrine', 0))");

export interface Facts {
  /** The schema that pg_trgm is installed in, as SQL; undefined if it is not available. */
  readonly trigrams: string | undefined;
}

/** The schema `vitrine` with the projects and administrators. The first node to come creates it. */
export class Instance {
  readonly #pool: Pool;
  readonly #log: Pick<Log, 'info'>;
  readonly #dialect = postgresDialect('vitrine', undefined);
  #ready: Promise<Facts> | undefined;

  constructor(pool: Pool, log: Pick<Log, 'info'>) {
    this.#pool = pool;
    this.#log = log;
  }

  /** If it fails, the next request tries again: a server may start before its database does. */
  ready(): Promise<Facts> {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined;
      throw translate(error);
    });
    return this.#ready;
  }

  readonly access: AccountsAccess = {
    read: (work) =>
      this.#prepared(() => readOnly(this.#pool, async (session) => work(this.connect(session)))),
    write: (step) => this.#prepared(() => this.transact((db) => step({ db }))),
  };

  /** A failover may have lost tables that this node had just created: then they are created again. */
  async #prepared<T>(work: () => Promise<T>): Promise<T> {
    await this.ready();
    try {
      return await work();
    } catch (error) {
      if (!isTableGone(error)) throw error;
      this.#ready = undefined;
      await this.ready();
      return work();
    }
  }

  async transact<T>(work: (db: Connection, session: Session) => T | Promise<T>): Promise<T> {
    return transact(this.#pool, { begin: 'BEGIN', repeatable: true }, (session) =>
      this.connect(session).during((db) => work(db, session)),
    );
  }

  connect(session: Session): PostgresConnection {
    return new PostgresConnection(this.#pool, session, this.#dialect);
  }

  async #prepare(): Promise<Facts> {
    await this.#pool.use((session) => verifyServer(session));
    await this.transact(async (db) => {
      await db.row(alone);
      const made = await db.row(
        raw("SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'vitrine' LIMIT 1"),
      );
      if (made) return upgrade(db);
      await db.exec(`CREATE SCHEMA IF NOT EXISTS vitrine; ${instanceTablesIn('vitrine')}`);
      await db.run(sql`INSERT INTO ${tables.format} (number) VALUES (${format})`);
    });
    return { trigrams: await this.#findTrigrams() };
  }

  /** Search works without the extension, but slowly, as there is no index. */
  async #findTrigrams(): Promise<string | undefined> {
    try {
      return await this.transact(async (db) => {
        const found = raw(`
          SELECT quote_ident(nspname) FROM pg_catalog.pg_extension
          JOIN pg_catalog.pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'`);
        await db.row(alone);
        if (!(await db.row(found)))
          await db.exec('CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA vitrine');
        return String((await db.row(found))?.[0]);
      });
    } catch (error) {
      if (!withoutExtension.has(faultCode(error) ?? '')) throw error;
      this.#log.info(
        'PostgreSQL has no extension pg_trgm, and we may not create it: new collections are searched without an index',
      );
      return undefined;
    }
  }
}

/** Not allowed, or not installed. */
const withoutExtension = new Set(['42501', '58P01', '0A000', '22023']);

async function verifyServer(session: Session): Promise<void> {
  const { rows } = await session.command(
    "SELECT current_setting('server_version_num'), current_setting('server_encoding')",
  );
  const [version, encoding] = rows[0] ?? [];
  const major = Math.floor(Number(version) / 10_000);
  if (major < oldestServer) {
    throw new Error(`PostgreSQL ${major} is too old: ${oldestServer} or newer is needed`);
  }
  if (encoding !== 'UTF8') {
    throw new Error(`The database has the encoding ${encoding}: UTF8 is needed`);
  }
}

async function upgrade(db: Connection): Promise<void> {
  const found = Number((await db.row(sql`SELECT number FROM ${tables.format}`))?.[0]);
  refuseNewer(found, format);
  if (found === format) return;
  await runUpgrades(db, 'instance', found, upgrades);
  await db.run(sql`UPDATE ${tables.format} SET number = ${format}`);
}
