import assert from 'node:assert/strict';
import type { Dice } from '../durability/dice.ts';
import { pause } from '../support.ts';
import { type Event, readEvents } from './events.ts';
import type { Nodes } from './nodes.ts';

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

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly result: Record<string, unknown>;
}

export interface FollowerOptions {
  readonly name: string;
  token(): string | undefined;
  readonly dice: Dice;
  readonly nodes: Pick<Nodes, 'fetch'>;
  /** Throws where the caller may not see the record. */
  mayFind(collection: string, record: Row): void;
  /** Whether the rights of the caller changed since the position was given: a position may be refused then. */
  excused(): boolean;
}

/** Milliseconds between two tries, and how many: a database may be a while in coming back. */
const [between, mostTries] = [50, 1_200];

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
    const { dice } = this.#options;
    if (dice.chance(50)) await this.#byPages(1 + dice.below(4));
    else await this.#byStream(20 + dice.below(200));
  }

  /** To the very end of the log. */
  async catchUp(): Promise<void> {
    if (this.#position === '') await this.begin();
    await this.#byPages(Number.POSITIVE_INFINITY);
  }

  async begin(): Promise<void> {
    const reply = await this.#get('/_changes?after=now');
    this.#position = String(reply.result.next);
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
      const { dice } = this.#options;
      const perPage = dice.chance(20) ? 1 + dice.below(10) : 100 + dice.below(900);
      const wait = dice.chance(30) && Number.isFinite(most) ? 1 : 0;
      const path = `/_changes?after=${this.#position}&perPage=${perPage}&wait=${wait}`;
      const reply = await this.#get(path, [400, 403, 410]);
      if (reply.status !== 200) return this.#startAnew(reply);
      const { next, upToDate, changes } = reply.result as {
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
    const headers = { ...this.#headers(), accept: 'text/event-stream' };
    const { nodes } = this.#options;
    const response = await nodes.fetch(`/v1/p/_changes?after=${this.#position}`, { headers }).catch(() => {});
    if (!response) return pause(between);
    const stream = readEvents(response);
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
      for (const row of reply.result.found as Row[]) {
        this.#options.mayFind(collection, row);
        found.set(row._id, row);
      }
      after = reply.result.next as string | null;
    }
    return found;
  }

  async #collections(): Promise<string[]> {
    const reply = await this.#get('');
    const listed = reply.result.collections as { id: string; methods: string[] }[];
    return listed.filter(({ methods }) => methods.includes('changes')).map(({ id }) => id);
  }

  #headers(): Record<string, string> {
    const token = this.#options.token();
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** In an outage, or while a node starts again, it asks again. */
  async #get(path: string, allowed: readonly number[] = []): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      const [status, text] = await this.#options.nodes
        .fetch(`/v1/p${path}`, { headers: this.#headers() })
        .then(async (response) => [response.status, await response.text()] as const)
        .catch((error: unknown) => [0, String(error)] as const);
      if (status === 200) return { status, text, result: JSON.parse(text).result };
      if (allowed.includes(status)) return { status, text, result: {} };
      const passing = status === 503 || status === 0;
      assert.ok(passing && tries < mostTries, `${this.name} ${path}: ${status} ${text}`);
      await pause(between);
    }
  }
}
