import type { Accounts } from '../../../accounts.ts';
import type { LoadPlan } from '../../../plans.ts';
import { ProjectGone } from '../../../schema.ts';
import { sqlAccounts } from '../../../sql/accounts/accounts.ts';
import { runBatch } from '../../../sql/records/batch.ts';
import { deleteRecord } from '../../../sql/records/delete-records.ts';
import { loadRecords } from '../../../sql/records/load-records.ts';
import { insertRecord, updateRecord } from '../../../sql/records/write-records.ts';
import { changeCollection, deleteCollection } from '../../../sql/schema/change-collection.ts';
import { createCollection, loadSchema } from '../../../sql/schema/collections.ts';
import { raw } from '../../../sql/tag.ts';
import type { Transaction } from '../../../sql/transaction.ts';
import type { Database } from '../connection/database.ts';
import { translate } from '../connection/faults.ts';
import { forgetInterrupted } from '../tables/noted-writes.ts';
import { GarbageCollector } from './garbage.ts';
import type { WriteCalls, WriteKind } from './requests.ts';
import { Reviver } from './revive.ts';
import { SearchIndexer } from './search-indexer.ts';
import { Writer } from './writer.ts';
import type { Progress, ProjectWrites } from './writers.ts';

type Performers = {
  readonly [K in WriteKind]: (
    sent: WriteCalls[K]['sent'],
    progress: Progress,
  ) => Promise<WriteCalls[K]['answer']>;
};

/** Writes to one project's file by its only connection that does, and does what is put off. */
export class ProjectWriter implements ProjectWrites {
  readonly #db: Database;
  readonly #openReader: () => Database;
  #reader: Database | undefined;
  readonly #writer: Writer;
  readonly #indexer: SearchIndexer;
  readonly #garbage: GarbageCollector;
  readonly #accounts: Accounts;
  #reviver: Reviver | undefined;
  /** How many loads of the schema have begun. */
  #loads = 0;
  #ended = false;

  /** `openReader`: another connection to the same file. */
  constructor(db: Database, openReader: () => Database) {
    this.#db = db;
    this.#openReader = openReader;
    this.#writer = new Writer(db, (collections) => this.#indexer.wake(collections));
    this.#indexer = new SearchIndexer(this.#writer);
    this.#garbage = new GarbageCollector(this.#writer);
    this.#accounts = sqlAccounts({
      read: async (work) => work(db),
      write: (step) => this.#writer.write(step),
    });
    void this.#takeOver();
  }

  async perform<K extends WriteKind>(
    kind: K,
    sent: WriteCalls[K]['sent'],
    progress: Progress = () => {},
  ): Promise<WriteCalls[K]['answer']> {
    if (this.#ended) throw new ProjectGone();
    try {
      return await this.#performers[kind](sent, progress);
    } catch (error) {
      throw translate(error);
    }
  }

  async load(plan: LoadPlan): Promise<void> {
    try {
      await loadRecords(this.#writer, plan);
    } catch (error) {
      throw translate(error);
    }
  }

  async close(): Promise<void> {
    this.#garbage.stop();
    this.#indexer.stop();
    try {
      await this.#writer.flush();
      this.#reader?.close();
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.#db.close();
    }
  }

  /** Every open store of this project, in whatever process, finds out at its next step. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#writer.write(({ db }) => db.run(raw("UPDATE meta SET value = -1 WHERE name = 'schema'")));
    await this.close();
  }

  readonly #performers: Performers = {
    insert: (sent) =>
      this.#write(sent.collection.version, (transaction, reviver) =>
        insertRecord(transaction, reviver.insert(sent)),
      ),
    update: (sent) =>
      this.#write(sent.collection.version, (transaction, reviver) =>
        updateRecord(transaction, reviver.update(sent)),
      ),
    delete: (sent) =>
      this.#write(sent.collection.version, (transaction, reviver) =>
        deleteRecord(transaction, reviver.delete(sent)),
      ),
    batch: (sent) =>
      this.#write(sent.steps[0]?.plan.collection.version, (transaction, reviver) =>
        runBatch(transaction, reviver.batch(sent)),
      ),
    account: ({ call, words }) => {
      const perform = this.#accounts[call] as (...words: readonly unknown[]) => Promise<unknown>;
      return perform(...words);
    },
    createCollection: (sent) =>
      this.#write(sent.version, (transaction, reviver) =>
        createCollection(transaction, reviver.definition(sent), sent.version),
      ),
    changeCollection: async (sent, progress) => {
      const plan = await this.#write(sent.from.version, (_, reviver) => reviver.change(sent, progress));
      try {
        const answer = await changeCollection(this.#writer, plan);
        return { ...answer, held: [...answer.held] };
      } finally {
        this.#garbage.wake();
        this.#indexer.wake(this.#collectionKeys());
      }
    },
    deleteCollection: async (sent) => {
      await this.#write(sent.version, (transaction, reviver) =>
        deleteCollection(transaction, reviver.collection(sent)),
      );
      this.#garbage.wake();
    },
  };

  /** `version`: of the schema the step was planned under; none where there is nothing in it. */
  #write<T>(
    version: number | undefined,
    step: (transaction: Transaction, reviver: Reviver) => Promise<T> | T,
  ): Promise<T> {
    const known = this.#reviver;
    if (known && known.version === version) {
      return this.#writer.write((transaction) => step(transaction, known));
    }
    return this.#loadReviver().then((reviver) => {
      return this.#writer.write((transaction) => step(transaction, reviver));
    });
  }

  /** Not by the connection that writes: what is not committed may never be. */
  async #loadReviver(): Promise<Reviver> {
    this.#reader ??= this.#openReader();
    const load = ++this.#loads;
    const loaded = new Reviver(await loadSchema(this.#reader));
    if (load === this.#loads) this.#reviver = loaded; // one that began later is of a later moment
    return loaded;
  }

  /** What an earlier process left to be done. */
  async #takeOver(): Promise<void> {
    try {
      await this.#writer.write(({ db }) => forgetInterrupted(db));
      this.#garbage.wake();
      this.#indexer.wake(this.#collectionKeys());
    } catch {} // a full disk, say: the next start will
  }

  #collectionKeys(): number[] {
    return this.#db.rows(raw('SELECT key FROM collections')).map(([key]) => Number(key));
  }
}
