import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/model/json.ts';
import { definition, pause, type Row } from '../support.ts';
import { bodyOf, Ledger, type Outcome } from './ledger.ts';
import type { NodeProcess, Sending } from './node-process.ts';

/** Milliseconds in which every request is to be answered. */
export const longest = 10_000;

/** Without anything unique: what was written twice would be there twice. */
export const marks: JsonObject = definition('marks', {
  mark: { type: 'text', required: true },
  tags: { type: 'list', of: { type: 'text' } },
});

interface Sent {
  readonly outcome: Outcome;
  /** Where it is done. */
  readonly result?: Record<string, unknown>;
}

type Send = (verb: string, rest: string, sending?: Sending) => Promise<Sent>;

interface Client {
  readonly send: Send;
  readonly token: string;
  /** Records that nobody else writes to. */
  readonly own: Row[];
}

/** Clients that create, change, delete and read, one thing after the other, and remember what they were told. */
export class Load {
  /** `lastDone` and `lastRefused`: when it was sent, by performance.now(). */
  readonly seen = { done: 0, refused: 0, slowest: 0, lastDone: 0, lastRefused: 0 };
  readonly #nodes: readonly NodeProcess[];
  readonly #serverKey: string;
  readonly #path: string;
  readonly #ledger = new Ledger();
  #going = false;
  #clients: Promise<void>[] = [];

  /** In a collection like `marks` of the project `p`. Every other client has the server key. */
  constructor(nodes: readonly NodeProcess[], serverKey: string, collection = 'marks') {
    this.#nodes = nodes;
    this.#path = `/v1/p/${collection}`;
    this.#serverKey = serverKey;
  }

  begin(clients: number): void {
    this.#going = true;
    this.#clients = Array.from({ length: clients }, (_, number) => this.#run(number));
    for (const client of this.#clients) client.catch(() => {}); // told at the end
  }

  async end(): Promise<void> {
    this.#going = false;
    const ends = await Promise.allSettled(this.#clients);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** Says how many records were in doubt. */
  async verify(): Promise<number> {
    const [node] = this.#nodes as [NodeProcess];
    for (const { key, marks: all, token } of this.#ledger.takeUnsure()) {
      const body = { create: all.map(bodyOf) };
      const answer = await node.send('POST', `${this.#path}/batch`, { body, key, token });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      this.#ledger.created(all, 'done');
    }
    return this.#ledger.check(await readAll(node, this.#path));
  }

  /** Every kind of request in turn. */
  async #run(number: number): Promise<void> {
    const token = number % 2 === 0 ? '' : this.#serverKey;
    const node = this.#nodes[number % this.#nodes.length] as NodeProcess;
    const send: Send = (verb, rest, sending = {}) => this.#send(node, verb, rest, { token, ...sending });
    const client: Client = { send, token, own: [] };
    for (let turn = number; this.#going; turn++) {
      const { own } = client;
      const record = own[turn % (own.length || 1)];
      const way = turn % 6;
      if (way === 1 && record) await this.#change(client, record);
      else if (way === 2 && own.length > 5 && record) await this.#remove(client, record);
      else if (way === 3) await send('GET', '?perPage=5&search=all&sort=-_createdAt');
      else if (way === 4 && record) await send('GET', `/${record._id}`);
      else if (way === 5) await this.#batch(client);
      else await this.#create(client);
    }
  }

  /** An answer is a success or says to try again, and it comes soon. */
  async #send(node: NodeProcess, verb: string, rest: string, sending: Sending): Promise<Sent> {
    const sent = performance.now();
    const answer = await node.send(verb, `${this.#path}${rest}`, sending);
    const told = `${verb} ${rest}: ${answer.status} ${JSON.stringify(answer.body)} after ${answer.took} ms, ${answer.held} of them held up by the machine`;
    this.seen.slowest = Math.max(this.seen.slowest, answer.took);
    assert.ok(answer.took - answer.held < longest, told); // whatever else this machine had to do
    if (answer.status < 300) {
      this.seen.done += 1;
      this.seen.lastDone = Math.max(this.seen.lastDone, sent);
      return { outcome: 'done', result: answer.body.result };
    }
    assert.equal(answer.status, 503, told);
    const retryAfter = answer.headers.get('retry-after');
    if (retryAfter === null) assert.match(answer.body.error, /check whether this was saved/, told);
    else assert.match(retryAfter, /^[1-9]\d*$/, told);
    this.seen.refused += 1;
    this.seen.lastRefused = Math.max(this.seen.lastRefused, sent);
    await pause(10);
    return { outcome: retryAfter === null ? 'unknown' : 'refused' };
  }

  async #create({ send, own }: Client): Promise<void> {
    const mark = this.#ledger.nextMark();
    const made = await send('POST', '', { body: bodyOf(mark) });
    this.#ledger.created([mark], made.outcome);
    if (made.result) own.push(made.result as Row);
  }

  async #change({ send, own }: Client, record: Row): Promise<void> {
    const mark = this.#ledger.nextMark();
    own.splice(own.indexOf(record), 1);
    const changed = await send('PATCH', `/${record._id}`, { body: bodyOf(mark) });
    this.#ledger.changed(String(record.mark), mark, changed.outcome);
    if (changed.result) own.push(changed.result as Row);
  }

  async #remove({ send, own }: Client, record: Row): Promise<void> {
    own.splice(own.indexOf(record), 1);
    const removed = await send('DELETE', `/${record._id}`);
    this.#ledger.deleted(String(record.mark), removed.outcome);
  }

  async #batch({ send, token, own }: Client): Promise<void> {
    const all = Array.from({ length: 3 }, () => this.#ledger.nextMark());
    const key = `batch-${all[0]}`;
    const made = await send('POST', '/batch', { body: { create: all.map(bodyOf) }, key });
    this.#ledger.created(all, made.outcome);
    if (made.result) own.push(...(made.result.created as Row[]));
    else this.#ledger.toSendAgain({ key, marks: all, token });
  }
}

async function readAll(node: NodeProcess, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: unknown = ''; after !== null; ) {
    const { status, body } = await node.send('GET', `${path}?perPage=1000&after=${after}`);
    assert.equal(status, 200, body.error);
    rows.push(...(body.result.found as Row[]));
    after = body.result.next;
  }
  return rows;
}
