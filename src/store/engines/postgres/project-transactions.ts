import type { Awaitable } from '../../../awaitable.ts';
import { Schemas } from '../../known-schemas.ts';
import type { Connection, Dialect } from '../../sql/dialect.ts';
import { Counters } from '../../sql/records/counters.ts';
import type { InsertPlan } from '../../write-plans.ts';
import { PostgresConnection } from './connection/connection.ts';
import type { Pool } from './connection/pool.ts';
import type { Session } from './connection/session.ts';
import type { Signals } from './connection/signals.ts';
import { type TransactionWay, transact } from './connection/transact.ts';
import { postgresDialect } from './dialect.ts';
import { Places } from './writes/places.ts';
import { SearchUpkeep } from './writes/search-upkeep.ts';

export interface CountedWrite<T> {
  readonly way: TransactionWay;
  readonly step: (counters: Counters) => Awaitable<T>;
  /** The records that it may create. */
  readonly creates?: readonly InsertPlan[] | undefined;
  readonly countersOf?: (db: Connection) => Counters;
  /** Called just before the commit; if it throws, everything is rolled back. */
  check?(): void;
}

/** Transactions on the tables of one project. */
export class ProjectTransactions {
  readonly schema: string;
  readonly schemas = new Schemas();
  readonly searchUpkeep: SearchUpkeep;
  readonly #pool: Pool;
  readonly #signals: Signals;
  readonly #dialect: Dialect;
  /** For long work: it indexes search texts directly, as nobody waits for it, and deferring would pile up all of them. */
  readonly #longDialect: Dialect;

  constructor(pool: Pool, signals: Signals, seq: number, trigrams: string | undefined) {
    this.schema = `vitrine_p${seq}`;
    this.#pool = pool;
    this.#signals = signals;
    const upkeep = new SearchUpkeep(
      {
        run: (way, work) => this.run(way, work),
        // VACUUM can't run in a transaction.
        vacuum: (table, use) =>
          pool.use(async (session) => void (await session.command(`VACUUM ${table}`)), use),
      },
      this.schema,
      seq,
    );
    this.searchUpkeep = upkeep;
    this.#dialect = postgresDialect(this.schema, trigrams, upkeep.notePending);
    const { addSearchTexts, renameSearchTables } = postgresDialect(this.schema, trigrams, (...noted) => {
      upkeep.noteListed(...noted);
      return false;
    });
    this.#longDialect = { ...this.#dialect, addSearchTexts, renameSearchTables };
  }

  /** Through a session that the caller already holds. */
  connect(session: Session): PostgresConnection {
    return new PostgresConnection(this.#pool, session, this.#longDialect);
  }

  run<T>(way: TransactionWay, work: (db: Connection) => Awaitable<T>): Promise<T> {
    const dialect = way.use?.within === Number.POSITIVE_INFINITY ? this.#longDialect : this.#dialect;
    return transact(this.#pool, way, (session) =>
      new PostgresConnection(this.#pool, session, dialect).during(work),
    );
  }

  /** Writes records along with their counters. After the commit, wakes whoever watches the change log. */
  async write<T>({ way, step, creates = [], countersOf, check }: CountedWrite<T>): Promise<T> {
    let logged = false;
    const places = new Places(creates);
    const around = {
      before: (session: Session) => places.take(this.connect(session)),
      after: (session: Session) => places.returnRest(this.connect(session)),
    };
    const result = await this.run({ ...way, ...(creates.length > 0 && around) }, async (db) => {
      const counters = countersOf?.(db) ?? new Counters(db, this.schemas, places.find);
      const made = await step(counters);
      logged = await counters.write();
      check?.();
      places.giveOut((key) => counters.counted(key));
      return made;
    });
    if (logged) this.#signals.committed(this.schema);
    return result;
  }
}
