import type { Channel } from '../channel.ts';
import { addUp, counted, type Snapshot, takeSnapshot } from '../metrics/snapshot.ts';

/** From a worker: asks for the numbers of all, or gives its own. */
type FromWorker = { readonly ask: number } | { readonly given: number; readonly snapshot: Snapshot };
/** To a worker: the numbers of all, or a request for its own. */
type ToWorker = { readonly answer: number; readonly snapshot: Snapshot } | { readonly give: number };

/** Milliseconds for a worker to give its numbers: of one that hangs, the last ones are used. */
const longestWait = 1_000;

interface Member {
  readonly channel: Channel;
  last: Snapshot | undefined;
  readonly waiting: Map<number, (snapshot: Snapshot) => void>;
}

/** In the parent: adds up its own numbers and those of its workers. The counts of a worker stay when it ends. */
export class WorkerMetrics {
  readonly #members = new Set<Member>();
  #ended: Snapshot = { counts: [], gauges: [] };
  #last = 0;

  connect(channel: Channel): void {
    const member: Member = { channel, last: undefined, waiting: new Map() };
    this.#members.add(member);
    channel.listen(
      (text) => {
        const message = JSON.parse(text) as FromWorker;
        if ('ask' in message) return void this.#answer(member, message.ask);
        member.last = message.snapshot;
        member.waiting.get(message.given)?.(message.snapshot);
      },
      () => {
        this.#members.delete(member);
        if (member.last) this.#ended = addUp([this.#ended, counted(member.last)]);
      },
    );
  }

  async #answer({ channel }: Member, ask: number): Promise<void> {
    const ended = this.#ended; // taken first: a worker that ends meanwhile is counted among those asked
    const given = await Promise.all([takeSnapshot(), ...[...this.#members].map((each) => this.#fetch(each))]);
    const snapshot = addUp([ended, ...given]);
    post<ToWorker>(channel, { answer: ask, snapshot });
  }

  #fetch(member: Member): Promise<Snapshot> {
    this.#last += 1;
    const number = this.#last;
    return new Promise((resolve) => {
      const settle = (snapshot: Snapshot) => {
        clearTimeout(timer);
        member.waiting.delete(number);
        resolve(snapshot);
      };
      const timer = setTimeout(() => settle(member.last ?? { counts: [], gauges: [] }), longestWait);
      member.waiting.set(number, settle);
      post<ToWorker>(member.channel, { give: number });
    });
  }
}

/** In a worker: asks for the numbers of all, and gives its own on request. */
export function joinMetrics(channel: Channel): () => Promise<Snapshot> {
  const waiting = new Map<number, (snapshot: Snapshot) => void>();
  let last = 0;
  channel.listen(
    async (text) => {
      const message = JSON.parse(text) as ToWorker;
      if ('give' in message)
        return post<FromWorker>(channel, { given: message.give, snapshot: await takeSnapshot() });
      waiting.get(message.answer)?.(message.snapshot);
      waiting.delete(message.answer);
    },
    () => {}, // without its parent this process ends, and what waits with it
  );
  return () =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      post<FromWorker>(channel, { ask: last });
    });
}

const post = <T>(channel: Channel, message: T) => channel.post(JSON.stringify(message));
