import { Failure } from '../../../../failure.ts';
import { countGroup } from '../../../../metrics/counted.ts';
import type { Schemas } from '../../../known-schemas.ts';
import { ProjectGone, StaleSchema } from '../../../schema.ts';
import { insertRecord } from '../../../sql/records/write-records.ts';
import type { WriteStep } from '../../../sql/transaction.ts';
import type { InsertPlan } from '../../../write-plans.ts';
import { hasWaited, OutOfReach, translate } from '../connection/faults.ts';
import { leastForGroup, type RequestDeadline } from '../connection/request-deadline.ts';
import type { ProjectDatabase } from '../project-database.ts';
import { insertGroup } from './insert-group.ts';
import { lengthOf } from './length-of.ts';

interface Waiting {
  readonly plan: InsertPlan;
  readonly since: number;
  /** When its request has to have an answer. */
  readonly latest: number;
  resolve(json: string): void;
  reject(error: unknown): void;
}

interface Line {
  waiting: Waiting[];
  /** When somebody was saved or refused last. */
  moved: number;
  /** Groups that are on their way, or about to be. */
  groups: number;
  watch: ReturnType<typeof setInterval>;
}

const mostInGroup = 200;
/** Groups of one collection at once: PostgreSQL works on one while this process is at the requests of another. */
const mostGroups = 3;
/** Records that have to wait for a group beside those that are on their way, as small ones take more time a record, */
const enoughForAnother = 16;
/** or milliseconds that the first of them has waited. */
const longEnough = 100;
/** Characters: those who come later wait for the group. */
const largestGroup = 1_000_000;
/** Milliseconds to wait for a group before; what comes then takes its time too. */
const longestWait = 3_000;

/** Records that arrive together become one transaction: those that come while groups are on their way are the next. */
export class Inserts {
  readonly #writes: Pick<ProjectDatabase, 'write'>;
  readonly #deadline: RequestDeadline;
  readonly #schemas: Schemas;
  readonly #lines = new Map<number, Line>();

  constructor(writes: Pick<ProjectDatabase, 'write'>, schemas: Schemas, deadline: RequestDeadline) {
    this.#writes = writes;
    this.#schemas = schemas;
    this.#deadline = deadline;
  }

  insert(plan: InsertPlan): Promise<string> {
    return this.#deadline.waitFor(this.#join(plan));
  }

  #join(plan: InsertPlan): Promise<string> {
    const since = Date.now();
    const { key } = plan.collection;
    const line = this.#lines.get(key) ?? this.#openLine(key);
    return new Promise((done, refuse) => {
      const resolve = (json: string) => {
        line.moved = Date.now();
        done(json);
      };
      const reject = (error: unknown) => {
        if (!concernsAll(error)) line.moved = Date.now();
        refuse(error);
      };
      line.waiting.push({ plan, since, latest: since + this.#deadline.remaining, resolve, reject });
      this.#begin(key, line);
    });
  }

  #openLine(key: number): Line {
    const watch = setInterval(() => {
      refuseLate(line);
      this.#begin(key, line);
    }, 500);
    const line: Line = { waiting: [], moved: 0, groups: 0, watch };
    this.#lines.set(key, line);
    return line;
  }

  #begin(key: number, line: Line): void {
    if (!isGroupDue(line)) return;
    line.groups += 1;
    // After the requests that are being read in this turn of the event loop have joined.
    setImmediate(() => void this.#serve(key, line));
  }

  async #serve(key: number, line: Line): Promise<void> {
    for (;;) {
      refuseLate(line);
      await this.#write(takeGroup(line.waiting));
      line.groups -= 1;
      if (!isGroupDue(line)) break;
      line.groups += 1;
    }
    if (line.groups > 0) return;
    clearInterval(line.watch);
    this.#lines.delete(key);
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    countGroup(group.length);
    if (group.length === 1) return void (await this.#writeAlone(first));
    const plans = group.map(({ plan }) => plan);
    const latest = Math.min(...group.map((each) => each.latest));
    try {
      const results = await this.#inTime(latest, plans, (transaction) =>
        insertGroup(transaction, this.#schemas.collection(first.plan.collection), plans),
      );
      group.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (typeof result === 'string') resolve(result);
        else reject(result);
      });
    } catch (error) {
      // One of them waited too long for a lock, or met a deadlock: written by itself, it holds up no other.
      if (hasWaited(error)) await this.#writeEach(group, mostGroups);
      else if (concernsAll(error)) for (const { reject } of group) reject(error);
      // One was refused, because a unique value is taken for instance. One after the other, so that the place of a refused
      // record goes to the next.
      else await this.#writeEach(group, 1);
    }
  }

  /**
   * Writes each record of a group by itself, after nothing of the group was written. Where one waits in vain again, and no
   * other got through meanwhile, all of them wait for the same lock, and the rest is refused at once.
   */
  async #writeEach(group: readonly Waiting[], atOnce: number): Promise<void> {
    const left = group.values();
    let moved = false;
    let inVain: unknown;
    const writeSome = async () => {
      for (const waiting of left) {
        if (inVain && !moved) {
          waiting.reject(inVain);
          continue;
        }
        const error = await this.#writeAlone(waiting);
        if (hasWaited(error)) inVain = error;
        else moved = true;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, writeSome));
  }

  /** Says why it was refused, where it was. */
  async #writeAlone({ plan, latest, resolve, reject }: Waiting): Promise<unknown> {
    try {
      resolve(await this.#inTime(latest, [plan], (transaction) => insertRecord(transaction, plan)));
      return undefined;
    } catch (error) {
      reject(error);
      return error;
    }
  }

  /** With a deadline of its own: the group would otherwise run under that of the request that came first. */
  #inTime<T>(latest: number, creates: readonly InsertPlan[], step: WriteStep<T>): Promise<T> {
    const repeatable = creates.length > 1 ? 'but for deadlocks' : true;
    return this.#deadline.run(() => this.#writes.write(step, { creates, repeatable }), latest - Date.now());
  }
}

/** Whether those who wait are to be written beside the groups that are on their way. */
function isGroupDue({ groups, waiting }: Line): boolean {
  const [first] = waiting;
  if (!first || groups === mostGroups) return false;
  return groups === 0 || waiting.length >= enoughForAnother || Date.now() - first.since >= longEnough;
}

/** Nothing was done for them yet. */
function refuseLate({ waiting, moved }: Line): void {
  const now = Date.now();
  for (const each of waiting.splice(0)) {
    if (now < Math.min(Math.max(each.since, moved) + longestWait, each.latest - leastForGroup))
      waiting.push(each);
    else each.reject(translate(new OutOfReach('no turn in time')));
  }
}

function takeGroup(waiting: Waiting[]): Waiting[] {
  let length = 0;
  const version = waiting[0]?.plan.collection.version;
  const end = waiting.findIndex(({ plan }, index) => {
    length += lengthOf(plan);
    const full = index === mostInGroup || (index > 0 && length > largestGroup);
    return full || plan.collection.version !== version;
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
}

/** Whether an error is not about a single record. After an outage nothing is tried again: some of it may be written. */
export function concernsAll(error: unknown): boolean {
  if (error instanceof StaleSchema || error instanceof ProjectGone) return true;
  return error instanceof Failure && error.kind === 'unavailable';
}
