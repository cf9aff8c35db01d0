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

/** A pending query for the version of a collection, shared by all requests that join before it is sent. */
interface Question {
  /** The earliest deadline among them. */
  latest: number;
  readonly version: Promise<number>;
}

/**
 * Caches pages with the version that their collection had. Any node may have written to it since, so the current version is
 * always queried, in one statement for all requests in the same turn of the event loop.
 */
export class Pages {
  readonly #database: Pick<ProjectDatabase, 'read' | 'schema' | 'schemas' | 'deadline'>;
  readonly #pages: PageCache;
  /**
   * The last seen version of each collection, by key: pages of other versions are known to be outdated and need no query. An
   * entry is replaced by newer versions.
   */
  readonly #seen = new Lru<number, number>({ most: 1_000 });
  readonly #questions = new Map<StoredCollection, Question>();

  constructor(database: Pick<ProjectDatabase, 'read' | 'schema' | 'schemas' | 'deadline'>, pages: PageCache) {
    this.#database = database;
    this.#pages = pages;
  }

  /** `read` is called if the page is not cached. */
  async list(plan: ListPlan, read: () => Promise<ReadPage>): Promise<ListAnswer> {
    // Included records belong to other collections, whose versions would have to be queried too.
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
    // Deferred until the requests of this turn of the event loop have joined.
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    const question: Question = { latest, version: turn.then(() => this.#ask(collection, question)) };
    this.#questions.set(collection, question);
    return this.#database.deadline.waitFor(question.version);
  }

  /** With a deadline of its own: otherwise the group would run under that of the request that came first. */
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
