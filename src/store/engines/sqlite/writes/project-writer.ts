import { inSteps } from '../../../../awaitable.ts';
import type { Accounts } from '../../../accounts.ts';
import { Schemas } from '../../../known-schemas.ts';
import { ProjectGone } from '../../../schema.ts';
import type { Progress } from '../../../schema-plans.ts';
import { sqlAccounts } from '../../../sql/accounts/accounts.ts';
import type { AccountsAccess } from '../../../sql/accounts/accounts-access.ts';
import { removeOldChanges } from '../../../sql/changes/retention.ts';
import { runBatch } from '../../../sql/records/batch.ts';
import { Deletions } from '../../../sql/records/deletions.ts';
import { updateRecord } from '../../../sql/records/update-record.ts';
import { insertRecord } from '../../../sql/records/write-records.ts';
import { changeCollection } from '../../../sql/schema/change-collection.ts';
import { createCollection } from '../../../sql/schema/collections.ts';
import { countAllRecords } from '../../../sql/schema/count-records.ts';
import { deleteCollection } from '../../../sql/schema/delete-collection.ts';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';
import type { Transaction, WriteStep, Writes } from '../../../sql/transaction.ts';
import { sqlWebhooks } from '../../../sql/webhooks/webhooks.ts';
import type { Webhooks } from '../../../webhooks.ts';
import type { BatchAnswer, LoadPlan } from '../../../write-plans.ts';
import type { Database } from '../connection/database.ts';
import { translate } from '../connection/faults.ts';
import { forgetInterrupted } from '../tables/noted-writes.ts';
import { WorkQueue } from '../work-queue.ts';
import type { WriteCalls, WriteKind } from './calls.ts';
import { type FileCheckpoints, LogKeeper } from './checkpoints.ts';
import { GarbageCollector } from './garbage.ts';
import { Writer } from './group-writer.ts';
import { loadFile } from './load-file.ts';
import { prepareBatch } from './prepare-batch.ts';
import { SearchIndexer } from './search-indexer.ts';
import type { ProjectWrites } from './writers.ts';

type Performers = {
  readonly [K in WriteKind]: (
    plan: WriteCalls[K]['plan'],
    progress: Progress,
  ) => Promise<WriteCalls[K]['answer']>;
};

/** Writes to one project's file, through the only connection that does, and runs its background work. */
export class ProjectWriter implements ProjectWrites {
  readonly #db: Database;
  readonly #schemas = new Schemas();
  readonly #log: LogKeeper;
  readonly #writer: Writer;
  readonly #indexer: SearchIndexer;
  readonly #garbage: GarbageCollector;
  readonly #deletions: Deletions;
  readonly #accounts: Accounts;
  readonly #webhooks: Webhooks;
  readonly #largeDeletions = new WorkQueue();
  readonly #schemaChanges = new WorkQueue();
  /** It is being closed and takes no more writes. */
  #ended = false;
  /** Set while nobody may write. */
  #seal: { decide(outcome: 'ended' | 'left'): void; readonly over: Promise<void> } | undefined;
  /** Called when the log has grown. */
  readonly #watching = new Set<() => void>();

  constructor(db: Database, checkpoints: FileCheckpoints | undefined) {
    this.#db = db;
    this.#log = new LogKeeper(db, checkpoints);
    const changed = (collections: Iterable<number>, logged: boolean) => {
      this.#indexer.wake(collections);
      if (logged) for (const tell of this.#watching) tell();
    };
    this.#writer = new Writer(db, this.#schemas, changed, this.#log);
    this.#indexer = new SearchIndexer(this.#writer.background, () => this.#writer.spent);
    this.#garbage = new GarbageCollector(this.#writer.background);
    this.#deletions = new Deletions(this.#writer, (work) => this.#exclusively(work));
    const access: AccountsAccess = {
      read: async (work) => work(db),
      write: (step) => this.#writer.write(step),
    };
    this.#accounts = sqlAccounts(access);
    this.#webhooks = sqlWebhooks(access);
    void this.#takeOver();
  }

  async perform<K extends WriteKind>(
    kind: K,
    plan: WriteCalls[K]['plan'],
    progress: Progress = () => {},
  ): Promise<WriteCalls[K]['answer']> {
    if (this.#ended) throw new ProjectGone();
    try {
      return await this.#performers[kind](plan, progress);
    } catch (error) {
      // It was closed between two steps: whatever the error says, it is about a file that is gone or was opened again.
      throw this.#ended ? new ProjectGone() : translate(error);
    }
  }

  watch(changed: () => void): () => void {
    // Two callers may pass the same function.
    const watcher = () => changed();
    this.#watching.add(watcher);
    return () => void this.#watching.delete(watcher);
  }

  async load(plan: LoadPlan): Promise<void> {
    try {
      await loadFile(this.#writer, plan);
    } catch (error) {
      throw translate(error);
    }
  }

  settled(): Promise<void> {
    return this.#writer.settled();
  }

  /**
   * If there are no records, keeps everybody else from writing until `unseal` or `end`, by a transaction that is held that long
   * and so ends with the process. Returns how many records there are.
   */
  async seal(): Promise<number> {
    const { promise: counted, resolve, reject } = Promise.withResolvers<number>();
    const outcome = Promise.withResolvers<'ended' | 'left'>();
    const over = this.#writer.hold(async (attempt) => {
      let records = 0;
      await attempt(async ({ db }) => {
        records = await countAllRecords(db);
      });
      resolve(records);
      if (records > 0 || (await outcome.promise) === 'left') return 'rollback';
      await attempt(noteEnd);
      return 'commit';
    });
    over.catch(reject);
    const records = await counted;
    if (records === 0) this.#seal = { decide: outcome.resolve, over };
    return records;
  }

  async unseal(): Promise<void> {
    const seal = this.#seal;
    this.#seal = undefined;
    seal?.decide('left');
    await seal?.over.catch(() => {});
  }

  async close(): Promise<void> {
    this.#ended = true;
    await this.unseal();
    this.#garbage.stop();
    this.#indexer.stop();
    await this.#deletions.stop();
    try {
      await this.#writer.flush();
      await this.#log.close();
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.#db.close();
    }
  }

  /** Every open store of this project, in any process, notices at its next step. */
  async end(): Promise<void> {
    this.#ended = true;
    const seal = this.#seal;
    this.#seal = undefined;
    try {
      seal?.decide('ended');
      await (seal?.over ?? this.#writer.write(noteEnd));
    } finally {
      await this.close();
    }
  }

  readonly #performers: Performers = {
    insert: (plan) => this.#writer.write((transaction) => insertRecord(transaction, plan)),
    update: (plan) => this.#writer.write((transaction) => updateRecord(transaction, plan)),
    delete: (plan) => this.#deletions.delete(plan),
    batch: async (plan) => {
      const { batch, isLarge } = await inSteps(prepareBatch(this.#schemas, plan));
      const step: WriteStep<BatchAnswer> = (transaction) => runBatch(transaction, batch);
      const run = () => (isLarge ? this.#writer.writeLarge(step) : this.#writer.write(step));
      return this.#deletions.batch(batch, run);
    },
    account: ({ call, args, authority }) => {
      const accounts = authority ? this.#accounts.as(authority) : this.#accounts;
      const perform = accounts[call] as (...args: readonly unknown[]) => Promise<unknown>;
      return perform(...args);
    },
    webhook: ({ call, args, authority }) => {
      const webhooks = authority ? this.#webhooks.as(authority) : this.#webhooks;
      const perform = webhooks[call] as (...args: readonly unknown[]) => Promise<unknown>;
      return perform(...args);
    },
    createCollection: (plan) =>
      this.#changeSchema((writes) => writes.write((transaction) => createCollection(transaction, plan))),
    changeCollection: (plan, progress) =>
      this.#changeSchema((writes) => changeCollection(writes, plan, progress)),
    deleteCollection: (plan) =>
      this.#changeSchema(async (writes) => {
        await writes.write((transaction) => deleteCollection(transaction, plan));
      }),
    forgetChanges: ({ before }) => removeOldChanges(this.#writer, before),
  };

  /** Continues what an earlier process left undone. */
  async #takeOver(): Promise<void> {
    try {
      await this.#writer.write(({ db }) => forgetInterrupted(db));
      this.#garbage.wake();
      this.#deletions.wake();
      this.#indexer.wake(this.#collectionKeys());
    } catch {} // a full disk, say: the next start will do it
  }

  /**
   * One change at a time, whichever process asks for it: a second change of the same collection would take the first one's
   * notes of what is written meanwhile.
   */
  #changeSchema<T>(work: (writes: Writes) => Promise<T>): Promise<T> {
    const over = () => {
      this.#garbage.wake();
      this.#indexer.wake(this.#collectionKeys());
    };
    return this.#schemaChanges.run(() => work(this.#writer)).finally(over);
  }

  #exclusively<T>(work: (writes: Writes) => Promise<T>): Promise<T> {
    // Each slice is a large write of its own, so that others wait for one slice at most.
    const slices: Writes = { write: (step) => this.#writer.writeLarge(step) };
    return this.#largeDeletions.run(() => work(slices));
  }

  #collectionKeys(): number[] {
    return this.#db.rows(sql`SELECT key FROM ${tables.collections}`).map(([key]) => Number(key));
  }
}

async function noteEnd({ db }: Transaction): Promise<void> {
  await db.run(sql`UPDATE ${tables.meta} SET value = -1 WHERE name = 'schema'`);
}
