import { Lru, perCollection } from '../../../cache.ts';
import type { PageCache } from '../../../page-cache.ts';
import type { ListAnswer, ListPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { sql } from '../../../sql/tag.ts';
import { leastForGroup } from '../connection/request-deadline.ts';
import type { ProjectDatabase } from '../project-database.ts';
import { versionOf } from '../versions.ts';
import type { ReadPage } from './read-records.ts';
import { checkVersion, schemaVersion } from './schema-version.ts';

/** A question after the version of a collection, for all who come before it is asked. */
interface Question {
  /** When the first of them has to have an answer. */
  latest: number;
  readonly version: Promise<number>;
}

/**
 * Pages are remembered with the version that their collection had. Any node may have written to it since, so PostgreSQL is
 * asked for the version whenever one is wanted, in one statement for all that come in the same turn of the event loop.
 */
export class Pages {
  readonly #database: Pick<ProjectDatabase, 'read' | 'schema' | 'schemas' | 'deadline'>;
  readonly #pages: PageCache;
  /**
   * The versions that were seen last, by the keys of collections: pages of others are over, as far as is known, and it is not
   * asked whether they are. An entry is replaced when there is a newer one.
   */
  readonly #seen = new Lru<number, number>({ most: 1_000 });
  readonly #questions = new Map<StoredCollection, Question>();

  constructor(database: Pick<ProjectDatabase, 'read' | 'schema' | 'schemas' | 'deadline'>, pages: PageCache) {
    this.#database = database;
    this.#pages = pages;
  }

  /** `read`: where none is remembered. */
  async list(plan: ListPlan, read: () => Promise<ReadPage>): Promise<ListAnswer> {
    // What is included is of other collections, whose versions would have to be asked for too.
    if (plan.include.length > 0) return (await read()).answer;
    const collection = this.#database.schemas.collection(plan.collection);
    const key = `${this.#database.schema} ${plan.key}`;
    const seen = this.#seen.get(collection.key);
    const known = seen === undefined ? undefined : this.#pages.find(key, String(seen));
    if (known && (await this.#askVersion(collection)) === seen) return known;
    const { answer, version, again } = await read();
    this.#seen.set(collection.key, version);
    return again ? this.#pages.keep(key, String(version), answer) : answer;
  }

  #askVersion(collection: StoredCollection): Promise<number> {
    const { remaining } = this.#database.deadline;
    if (remaining < leastForGroup) return this.#readVersion(collection);
    const latest = Date.now() + remaining;
    const asked = this.#questions.get(collection);
    if (asked) {
      asked.latest = Math.min(asked.latest, latest);
      return this.#database.deadline.waitFor(asked.version);
    }
    // After the requests that are being read in this turn of the event loop have joined.
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    const question: Question = { latest, version: turn.then(() => this.#ask(collection, question)) };
    this.#questions.set(collection, question);
    return this.#database.deadline.waitFor(question.version);
  }

  /** With a deadline of its own: the group would otherwise run under that of the request that came first. */
  #ask(collection: StoredCollection, question: Question): Promise<number> {
    this.#questions.delete(collection);
    return this.#database.deadline.run(() => this.#readVersion(collection), question.latest - Date.now());
  }

  async #readVersion(collection: StoredCollection): Promise<number> {
    const row = await this.#database.read((db) => db.row(versionStatement(collection)));
    checkVersion(row?.[0], collection);
    const version = Number(row?.[1]);
    this.#seen.set(collection.key, version);
    return version;
  }
}

const versionStatement = perCollection(
  (collection) => sql`SELECT ${schemaVersion}, ${versionOf(collection)}`,
);
