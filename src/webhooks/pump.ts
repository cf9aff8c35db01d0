import { setTimeout as sleep } from 'node:timers/promises';
import { countDelivery } from '../metrics/counted.ts';
import type { Waiting, Webhooks } from '../store/webhooks.ts';
import { deliver, type KnownWebhook, type SenderServices } from './deliver.ts';
import { type Rest, restAfter, restFrom, restLeft, seemsDown } from './schedule.ts';
import { takeChanges } from './take-changes.ts';

/** Most concurrent requests to one receiver. */
const lanes = 8;
/** Milliseconds between checks for new changes, even while all requests are slow. */
const lookAgain = 250;
/** Milliseconds between searches for what only a wrong clock puts off. */
const searchEvery = 60_000;
/** Milliseconds after which others get their turn. */
const slice = 5_000;

export interface PumpOptions extends SenderServices {
  readonly project: string;
  /** Nothing new is begun. */
  readonly stop: AbortSignal;
  /** Everything under way is broken off. */
  readonly abort: AbortSignal;
  /** By webhook. */
  readonly rests: Map<string, Rest>;
  /** By webhook: when it was last searched for what only a wrong clock puts off, in milliseconds of `performance`. */
  readonly searches: Map<string, number>;
}

/** The remaining work of a webhook. */
export interface Left {
  /** When there is something to do again, in milliseconds since 1970. */
  readonly next: number;
  /** Changes that were taken but not delivered or given up yet. */
  readonly waiting: number;
}

/**
 * Sends what is due of one webhook, for a limited time. Changes of different records are sent at the same time; of one record
 * only the first waiting change is ever due.
 */
export async function pump(options: PumpOptions, id: string): Promise<Left> {
  const { catalog, project, now, stop, rests, searches } = options;
  const hooks = <T>(work: (webhooks: Webhooks) => Promise<T>) =>
    catalog.use(project, ({ store }) => work(store.webhooks));
  const underWay = new Map<number, Promise<void>>();
  /** Deliveries that ended while it was read what is due: that answer may be from before. */
  const ended = new Set<number>();
  const trouble: unknown[] = [];
  const end = performance.now() + slice;
  let failures = 0;

  async function attempt({ webhook, schema }: KnownWebhook, waiting: Waiting): Promise<void> {
    const known = { webhook: { ...webhook, failures }, schema };
    const settlement = await deliver(options, project, known, waiting, options.abort);
    if (!settlement) return;
    await hooks((webhooks) => webhooks.settle(settlement));
    if (settlement.outcome.kind === 'void') return;
    const delivered = settlement.outcome.kind === 'delivered';
    failures = delivered ? 0 : failures + 1;
    noteRest(delivered || !seemsDown(settlement.code));
    countDelivery(delivered ? 'done' : 'failed');
  }

  function noteRest(isUp: boolean): void {
    const rest = rests.get(id);
    if (isUp) rests.delete(id);
    // Attempts that were under way beside the last one do not make its rest longer.
    else if (restLeft(rest?.until, now()) === 0) rests.set(id, restFrom(now(), (rest?.failures ?? 0) + 1));
  }

  const isDown = () => restAfter(rests.get(id)?.failures ?? 0) > 0;

  /** How many may begin now. */
  const room = () => {
    if (restLeft(rests.get(id)?.until, now()) > 0) return 0;
    return Math.max(0, (isDown() ? 1 : lanes) - underWay.size);
  };

  const isFree = ({ n }: Waiting) => !underWay.has(n) && !ended.has(n);

  async function due(): Promise<Waiting[]> {
    // Whether the receiver is back is best asked by a change that was never refused: the others may fail for ever.
    const first = isDown() ? 'fewest attempts' : 'oldest';
    const found = await hooks((webhooks) => webhooks.due(id, now(), 2 * lanes, first));
    const searched = searches.get(id) ?? Number.NEGATIVE_INFINITY;
    if (found.length > 0 || performance.now() - searched < searchEvery) return found.filter(isFree);
    const misdated = await hooks((webhooks) => webhooks.misdated(id, now(), 2 * lanes));
    const free = misdated.filter(isFree);
    if (free.length === 0) searches.set(id, performance.now());
    return free;
  }

  /** The webhook is read under the schema whose changes it takes, and delivers: as they were before or after a rename. */
  function take() {
    return catalog.use(project, async (open) => {
      const webhook = await open.store.webhooks.find(id);
      if (!webhook || webhook.paused !== null) return undefined;
      const took = await takeChanges(open, options.changes(open), webhook, now());
      return { known: { webhook, schema: open.schema.version }, took };
    });
  }

  /** Says whether there is anything to wait for. */
  async function step(): Promise<boolean> {
    const taken = await take();
    if (!taken) return false;
    const { known, took } = taken;
    if (underWay.size === 0) failures = known.webhook.failures;
    ended.clear();
    const found = room() === 0 ? [] : await due();
    for (const waiting of found.slice(0, room())) {
      const work = attempt(known, waiting)
        .catch((error: unknown) => void trouble.push(error))
        .finally(() => {
          underWay.delete(waiting.n);
          ended.add(waiting.n);
        });
      underWay.set(waiting.n, work);
    }
    return took || underWay.size > 0;
  }

  let more = true;
  try {
    while (more && trouble.length === 0 && !stop.aborted && performance.now() < end) {
      more = await step();
      if (underWay.size > 0) await oneOf(underWay.values());
    }
  } finally {
    await Promise.all(underWay.values()); // otherwise the next pump would send them again
  }
  if (trouble.length > 0) throw trouble[0];
  const { waiting, nextAt } = await hooks((webhooks) => webhooks.backlog(id));
  const rested = now() + restLeft(rests.get(id)?.until, now());
  const next = nextAt === null ? Number.POSITIVE_INFINITY : Math.max(nextAt, rested);
  return { next: more ? now() : next, waiting };
}

/** Waits for the first that ends, or for a while. */
async function oneOf(works: Iterable<Promise<void>>): Promise<void> {
  const pause = new AbortController();
  const timer = sleep(lookAgain, undefined, { signal: pause.signal }).catch(() => {});
  await Promise.race([...works, timer]);
  pause.abort();
}
