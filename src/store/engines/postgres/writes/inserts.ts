import { Failure } from '../../../../failure.ts';
import { countGroup } from '../../../../metrics/counted.ts';
import type { Schemas } from '../../../known-schemas.ts';
import { ProjectGone, StaleSchema } from '../../../schema.ts';
import { insertRecord } from '../../../sql/records/write-records.ts';
import type { WriteStep } from '../../../sql/transaction.ts';
import type { InsertPlan } from '../../../write-plans.ts';
import { isLockFailure, OutOfReach, translate } from '../connection/faults.ts';
import { leastForGroup, type RequestDeadline } from '../connection/request-deadline.ts';
import type { ProjectDatabase } from '../project-database.ts';
import { insertGroup } from './insert-group.ts';
import { lengthOf } from './length-of.ts';

interface Waiting {
  readonly plan: InsertPlan;
  readonly since: number;
  /** When its request must be answered. */
  readonly latest: number;
  resolve(json: string): void;
  reject(error: unknown): void;
}

interface Line {
  waiting: Waiting[];
  /** When a record was last saved or refused. */
  moved: number;
  /** Groups that are under way, or about to be. */
  groups: number;
  watch: ReturnType<typeof setInterval>;
}

const mostInGroup = 200;
/** The most groups of one collection at once: PostgreSQL works on one while this process reads the requests of another. */
const mostGroups = 3;
/** Another group is begun beside those under way when so many records wait, as small groups take more time per record, */
const enoughForAnother = 16;
/** or when the first of them has waited so many milliseconds. */
const longEnough = 100;
/** Characters of a group: those who come later have to wait for it. */
const largestGroup = 1_000_000;
/** Milliseconds to wait for earlier groups; the write itself takes time too. */
const longestWait = 3_000;

/** Records that arrive together become one transaction. Those that arrive while groups are under way become the next. */
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
    // Once the requests that are read in this turn of the event loop have joined.
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
      // One of them waited too long for a lock, or met a deadlock: written one by one, it holds up no other.
      if (isLockFailure(error)) await this.#writeEach(group, mostGroups);
      else if (concernsAll(error)) for (const { reject } of group) reject(error);
      // One was refused, for instance because a unique value is taken. They are written one after the other, so that the place
      // of a refused record goes to the next.
      else await this.#writeEach(group, 1);
    }
  }

  /**
   * Writes each record of a group by itself, after none of the group was written. If one waits in vain again, and no other
   * succeeded meanwhile, they all wait for the same lock, and the rest is refused at once.
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
        if (isLockFailure(error)) inVain = error;
        else moved = true;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, writeSome));
  }

  /** Returns why it was refused, if it was. */
  async #writeAlone({ plan, latest, resolve, reject }: Waiting): Promise<unknown> {
    try {
      resolve(await this.#inTime(latest, [plan], (transaction) => insertRecord(transaction, plan)));
      return undefined;
    } catch (error) {
      reject(error);
      return error;
    }
  }

  /** With a deadline of its own: otherwise the group would run under that of the first request. */
  #inTime<T>(latest: number, creates: readonly InsertPlan[], step: WriteStep<T>): Promise<T> {
    const repeatable = creates.length > 1 ? 'but for deadlocks' : true;
    return this.#deadline.run(() => this.#writes.write(step, { creates, repeatable }), latest - Date.now());
  }
}

/** Whether a group is to be begun for those who wait, beside those under way. */
function isGroupDue({ groups, waiting }: Line): boolean {
  const [first] = waiting;
  if (!first || groups === mostGroups) return false;
  return groups === 0 || waiting.length >= enoughForAnother || Date.now() - first.since >= longEnough;
}

/** Refuses those who have waited too long; nothing was done for them yet. */
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

/** Whether an error is about more than a single record. After an outage nothing is tried again, as some of it may be written. */
export function concernsAll(error: unknown): boolean {
  if (error instanceof StaleSchema || error instanceof ProjectGone) return true;
  return error instanceof Failure && error.kind === 'unavailable';
}
