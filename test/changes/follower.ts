import assert from 'node:assert/strict';
import type { Reply, TestApp } from '../harness.ts';
import { type Event, followEvents } from './events.ts';

export interface Row extends Record<string, unknown> {
  readonly _id: string;
  readonly _updatedAt: string;
}

interface Change {
  readonly kind: string;
  readonly collection: string;
  readonly _id: string | null;
  readonly record: Row | null;
}

export interface FollowerOptions {
  readonly name: string;
  readonly token: string | undefined;
  readonly random: () => number;
  /** One of the nodes. */
  node(): TestApp;
  /** Whether it was ended, so that its answer counts for nothing. */
  isGone(node: TestApp): boolean;
  /** Throws where the caller may not see the record. */
  mayFind(collection: string, record: Row): void;
  /** Whether the rights of the caller changed since the position was given: a position may be refused then. */
  excused(): boolean;
}

/** A client that keeps a copy of all that it may see: it comes and goes, by pages and by streams, and goes on where it was. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly copy = new Map<string, Map<string, Row>>();
  #position = '';
  /** The last state of each record that the feed told, in order. */
  #last = new Map<string, string>();
  told = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Follows for a while. */
  async follow(): Promise<void> {
    if (this.#position === '') await this.begin();
    if (this.#options.random() < 0.5) await this.#byPages(1 + Math.floor(this.#options.random() * 4));
    else await this.#byStream(20 + this.#options.random() * 200);
  }

  /** To the very end of the log. */
  async catchUp(): Promise<void> {
    if (this.#position === '') await this.begin();
    await this.#byPages(Number.POSITIVE_INFINITY);
  }

  async begin(): Promise<void> {
    const reply = await this.#get('/_changes?after=now');
    this.#position = String(reply.body.result.next);
    this.copy.clear();
    this.#last.clear();
    for (const collection of await this.#collections()) await this.#readAnew(collection);
  }

  /** All that View All shows, by collection. */
  async view(): Promise<Map<string, Map<string, Row>>> {
    const found = new Map<string, Map<string, Row>>();
    for (const collection of await this.#collections())
      found.set(collection, (await this.#viewAll(collection)) ?? new Map());
    return found;
  }

  async #byPages(most: number): Promise<void> {
    for (let count = 0; count < most; count++) {
      const perPage = 1 + Math.floor(this.#options.random() * 200);
      const wait = this.#options.random() < 0.3 && Number.isFinite(most) ? 1 : 0;
      const path = `/_changes?after=${this.#position}&perPage=${perPage}&wait=${wait}`;
      const reply = await this.#get(path, [400, 403, 410]);
      if (reply.status !== 200) return this.#startAnew(reply);
      const { next, upToDate, changes } = reply.body.result as {
        next: string;
        upToDate: boolean;
        changes: Change[];
      };
      for (const change of changes) await this.#apply(change);
      this.#position = next;
      if (upToDate) return;
    }
  }

  async #byStream(milliseconds: number): Promise<void> {
    const { token } = this.#options;
    const path = `/v1/p/_changes?after=${this.#position}`;
    const stream = await followEvents(this.#options.node(), path, { token });
    if (stream.status === 503) return stream.close();
    if (stream.status !== 200) {
      await stream.close();
      return this.#byPages(1); // says why
    }
    const timer = setTimeout(() => void stream.close(), milliseconds);
    await stream.over;
    clearTimeout(timer);
    for (const event of stream.seen) if (await this.#applyEvent(event)) return;
    if (stream.lastId !== undefined) this.#position = stream.lastId;
  }

  /** Says whether it has to begin anew. */
  async #applyEvent({ event, data }: Event): Promise<boolean> {
    if (event === 'reset') {
      assert.ok(this.#options.excused(), `${this.name}: a reset`);
      await this.begin();
      return true;
    }
    if (event !== 'end' && data) await this.#apply(data as unknown as Change);
    return false;
  }

  async #apply({ kind, collection, _id, record }: Change): Promise<void> {
    this.told += 1;
    if (kind === 'refetch') return this.#readAnew(collection);
    const id = String(_id);
    if (!record) {
      this.copy.get(collection)?.delete(id);
      return;
    }
    this.#options.mayFind(collection, record);
    const { _updatedAt } = record;
    const last = this.#last.get(id) ?? '';
    assert.ok(_updatedAt >= last, `${this.name}: ${collection} ${id} went back to ${_updatedAt}`);
    this.#last.set(id, _updatedAt);
    const known = this.copy.get(collection) ?? new Map<string, Row>();
    this.copy.set(collection, known);
    const old = known.get(id);
    if (!old || old._updatedAt <= record._updatedAt) known.set(id, record);
  }

  async #startAnew(reply: Reply): Promise<void> {
    assert.ok(this.#options.excused(), `${this.name}: ${reply.text}`);
    await this.begin();
  }

  async #readAnew(collection: string): Promise<void> {
    const found = await this.#viewAll(collection);
    if (found) this.copy.set(collection, found);
    else this.copy.delete(collection);
  }

  async #viewAll(collection: string): Promise<Map<string, Row> | undefined> {
    const found = new Map<string, Row>();
    for (let after: string | null = ''; after !== null; ) {
      const reply: Reply = await this.#get(
        `/${collection}?perPage=1000&after=${after}`,
        [401, 403, 404, 400],
      );
      if (reply.status === 400) return this.#viewAll(collection); // the schema changed under the cursor
      if (reply.status !== 200) return undefined;
      for (const row of reply.body.result.found as Row[]) {
        this.#options.mayFind(collection, row);
        found.set(row._id, row);
      }
      after = reply.body.result.next as string | null;
    }
    return found;
  }

  async #collections(): Promise<string[]> {
    const reply = await this.#get('');
    const listed = reply.body.result.collections as { id: string; methods: string[] }[];
    return listed.filter(({ methods }) => methods.includes('changes')).map(({ id }) => id);
  }

  /** In an outage, or while a node starts again, it asks again. */
  async #get(path: string, allowed: readonly number[] = []): Promise<Reply> {
    const { token } = this.#options;
    for (let tries = 1; ; tries++) {
      const node = this.#options.node();
      const reply = await node.call('GET', `/v1/p${path}`, { token });
      if (reply.status === 200 || allowed.includes(reply.status)) return reply;
      const passing = reply.status === 503 || this.#options.isGone(node);
      assert.ok(passing && tries < 50, `${this.name} ${path}: ${reply.status} ${reply.text}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
