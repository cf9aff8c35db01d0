import { setTimeout as sleep } from 'node:timers/promises';
import { countCommit } from '../../../../metrics/counted.ts';
import { CommitUnknown, isBroken, isConnectionFault, isDeadlock, isTransient, OutOfReach } from './faults.ts';
import type { Pool, UseOptions } from './pool.ts';
import type { Session } from './session.ts';

export interface TransactionWay {
  /** The opening statements: `BEGIN`, and locks to take before anything is read. */
  readonly begin: string;
  /** Whether the work may be repeated after PostgreSQL has undone it. `but for deadlocks`: the caller handles a deadlock better. */
  readonly repeatable: boolean | 'but for deadlocks';
  /** The lane, `write` by default, and how long it may take. */
  readonly use?: UseOptions;
  /** Sends statements ahead of each attempt, which travel with it. */
  before?(session: Session): void;
  /** Called after each attempt, whether it succeeded or not. */
  after?(session: Session): Promise<void>;
}

const mostAttempts = 5;

/** For long work: a dump, an import, a change of a schema. */
export const unlimited: Pick<Required<TransactionWay>, 'repeatable' | 'use'> = {
  repeatable: false,
  use: { within: Number.POSITIVE_INFINITY, statementTimeout: Number.POSITIVE_INFINITY },
};

/** After the BEGIN of such a transaction. */
export const unlimitedTimes =
  'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';

/** Runs work in a transaction that is rolled back if it throws. */
export async function transact<T>(
  pool: Pool,
  way: TransactionWay,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const relay = way.use?.signal && new AbortRelay(way.use.signal);
  try {
    return await attemptSome(pool, way, work, relay);
  } finally {
    relay?.ignore();
  }
}

async function attemptSome<T>(
  pool: Pool,
  way: TransactionWay,
  work: (session: Session) => Promise<T>,
  relay: AbortRelay | undefined,
): Promise<T> {
  const use = { lane: 'write', within: pool.deadline.remaining, ...way.use, ...relay } as const;
  const latest = Date.now() + use.within;
  for (let attempt = 1; ; attempt++) {
    try {
      const within = latest - Date.now();
      return await pool.use(
        async (session) => {
          way.before?.(session);
          try {
            return await attemptOnce(session, way.begin, work, () => relay?.ignore());
          } finally {
            await way.after?.(session);
          }
        },
        { ...use, within },
      );
    } catch (error) {
      if (!way.repeatable || attempt === mostAttempts || !mayRepeat(error, attempt)) throw error;
      if (way.repeatable === 'but for deadlocks' && isDeadlock(error)) throw error;
      // Keeps transactions that met in a deadlock from meeting again.
      if (attempt > 1) await sleep(Math.random() * 20 * attempt);
    }
  }
}

/**
 * Aborted when the client has left, but not once a commit has begun: cancelling that would leave it unknown whether it was
 * made.
 */
class AbortRelay {
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

/**
 * A connection that was lost before the commit took the transaction with it. Repeated only once, as in an outage the next would
 * be lost too.
 */
function mayRepeat(error: unknown, attempt: number): boolean {
  return isTransient(error) || (attempt === 1 && isBroken(error));
}

/** For work that only reads: repeated if the connection turns out to be gone. */
export async function readOnly<T>(pool: Pool, work: (session: Session) => Promise<T>): Promise<T> {
  const latest = Date.now() + pool.deadline.remaining;
  for (let attempt = 1; ; attempt++) {
    try {
      return await pool.use(work, { within: latest - Date.now() });
    } catch (error) {
      if (attempt > 1 || !(isTransient(error) || isBroken(error))) throw error;
    }
  }
}

/** In a session that the caller holds already. */
export async function attemptOnce<T>(
  session: Session,
  begin: string,
  work: (session: Session) => Promise<T>,
  committing: () => void = () => {},
): Promise<T> {
  const start = performance.now();
  // Not awaited: it travels with the first statement of the work.
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
    // PostgreSQL answers this, and not an error, where an earlier statement failed unnoticed.
    if (command === 'ROLLBACK')
      throw new Error('the transaction was undone, as a statement in it had failed');
    if (session.unreplicated) throw new CommitUnknown(new OutOfReach('no standby has it'));
  } catch (error) {
    if (isConnectionFault(error)) throw new CommitUnknown(error);
    throw error; // PostgreSQL refused the commit, for instance because of a dangling reference: nothing was saved
  }
}

async function rollBack(session: Session): Promise<void> {
  try {
    await session.command('ROLLBACK');
  } catch (error) {
    session.destroy(error); // whatever transaction it has open ends with it
  }
}
