import { setTimeout as sleep } from 'node:timers/promises';
import { countCommit } from '../../../../metrics/counted.ts';
import { CommitUnknown, isBroken, isConnectionFault, isDeadlock, isPassing, OutOfReach } from './faults.ts';
import type { Pool, UseOptions } from './pool.ts';
import type { Session } from './session.ts';

export interface TransactionWay {
  /** What it begins with: `BEGIN`, and locks to be taken before anything is read. */
  readonly begin: string;
  /** Whether the work may be done again after PostgreSQL has undone it all, or whoever asked knows better after a deadlock. */
  readonly repeatable: boolean | 'but for deadlocks';
  /** `write` where none is given; and how long it may take. */
  readonly use?: UseOptions;
  /** Sends statements of their own ahead of each attempt, which travel with it. */
  before?(session: Session): void;
  /** Each attempt has ended, well or not. */
  after?(session: Session): Promise<void>;
}

const mostAttempts = 5;

/** For what takes its time: a dump, an import, a change of a schema. */
export const unlimited: Pick<Required<TransactionWay>, 'repeatable' | 'use'> = {
  repeatable: false,
  use: { within: Number.POSITIVE_INFINITY, statementTimeout: Number.POSITIVE_INFINITY },
};

/** Behind the BEGIN of such a transaction. */
export const unlimitedTimes =
  'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';

/** Runs work in a transaction that is undone when it throws. */
export async function transact<T>(
  pool: Pool,
  way: TransactionWay,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const leaving = way.use?.signal && new Leaving(way.use.signal);
  try {
    return await attemptSome(pool, way, work, leaving);
  } finally {
    leaving?.ignore();
  }
}

async function attemptSome<T>(
  pool: Pool,
  way: TransactionWay,
  work: (session: Session) => Promise<T>,
  leaving: Leaving | undefined,
): Promise<T> {
  const use = { lane: 'write', within: pool.deadline.remaining, ...way.use, ...leaving } as const;
  const latest = Date.now() + use.within;
  for (let attempt = 1; ; attempt++) {
    try {
      const within = latest - Date.now();
      return await pool.use(
        async (session) => {
          way.before?.(session);
          try {
            return await attemptOnce(session, way.begin, work, () => leaving?.ignore());
          } finally {
            await way.after?.(session);
          }
        },
        { ...use, within },
      );
    } catch (error) {
      if (!way.repeatable || attempt === mostAttempts || !mayRepeat(error, attempt)) throw error;
      if (way.repeatable === 'but for deadlocks' && isDeadlock(error)) throw error;
      // Those who met in a deadlock are not to meet again.
      if (attempt > 1) await sleep(Math.random() * 20 * attempt);
    }
  }
}

/**
 * Says that whoever asked has left, until a commit begins: by then it is as good as done, and to end it would leave nobody
 * knowing whether it is.
 */
class Leaving {
  readonly signal: AbortSignal;
  readonly ignore: () => void;

  constructor(asked: AbortSignal) {
    const controller = new AbortController();
    const leave = () => controller.abort();
    if (asked.aborted) leave();
    asked.addEventListener('abort', leave);
    this.signal = controller.signal;
    this.ignore = () => asked.removeEventListener('abort', leave);
  }
}

/** A connection that was lost before the commit took all with it; once, as the next would be lost in an outage too. */
function mayRepeat(error: unknown, attempt: number): boolean {
  return isPassing(error) || (attempt === 1 && isBroken(error));
}

/** For work that only reads: done again where the first connection turns out to be gone. */
export async function readOnly<T>(pool: Pool, work: (session: Session) => Promise<T>): Promise<T> {
  const latest = Date.now() + pool.deadline.remaining;
  for (let attempt = 1; ; attempt++) {
    try {
      return await pool.use(work, { within: latest - Date.now() });
    } catch (error) {
      if (attempt > 1 || !(isPassing(error) || isBroken(error))) throw error;
    }
  }
}

/** In a session that somebody holds already. */
export async function attemptOnce<T>(
  session: Session,
  begin: string,
  work: (session: Session) => Promise<T>,
  committing: () => void = () => {},
): Promise<T> {
  const start = performance.now();
  // Not waited for: it travels with the first statement of the work.
  const begun = session.command(begin).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  let result: T;
  try {
    result = await work(session);
    const failed = await begun;
    if (failed) throw failed.error;
  } catch (error) {
    const failed = await begun;
    await rollBack(session);
    throw failed ? failed.error : error;
  }
  committing();
  await commit(session);
  countCommit(performance.now() - start);
  return result;
}

async function commit(session: Session): Promise<void> {
  try {
    const { command } = await session.command('COMMIT');
    // What PostgreSQL answers, and not as an error, where a statement before it failed unnoticed.
    if (command === 'ROLLBACK')
      throw new Error('the transaction was undone, as a statement in it had failed');
    if (session.unreplicated) throw new CommitUnknown(new OutOfReach('no standby has it'));
  } catch (error) {
    if (isConnectionFault(error)) throw new CommitUnknown(error);
    throw error; // PostgreSQL said no, to a reference that points nowhere for instance: nothing was saved
  }
}

async function rollBack(session: Session): Promise<void> {
  try {
    await session.command('ROLLBACK');
  } catch (error) {
    session.destroy(error); // whatever state it is in ends with it
  }
}
