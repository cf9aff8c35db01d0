import postgres from 'postgres';
import { Failure, type FailureDetail } from '../../../../failure.ts';
import { StaleSchema } from '../../../schema.ts';

/** The connection is gone, and with it whatever it was doing. */
export class ConnectionLost extends Error {
  /** It had served before: another may be had at once. */
  readonly served: boolean;

  constructor(cause?: unknown, served = false) {
    super(`the connection to PostgreSQL was lost${cause instanceof Error ? ` (${cause.message})` : ''}`, {
      cause,
    });
    this.served = served;
  }
}

/** The connection went while a transaction was being committed: it may have been, or not. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the connection to PostgreSQL was lost during a commit', { cause });
  }
}

/** A connection could not be had, or an answer not in time. */
export class OutOfReach extends Error {}

/** All connections are in use: nothing was asked of PostgreSQL. */
export class NoneFree extends OutOfReach {}

/** Whoever asked is not there any more. */
export class ClientGone extends Error {}

/** The SQLSTATE of an error that PostgreSQL itself reports. */
export function faultCode(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined;
}

/** The server ends, has ended or never took the connection, or it is a pooler that has another one for us. */
const lostCodes = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '53300',
  '26000',
  '28000',
  '28P01',
  '3D000',
]);

/** The server has as many connections as it takes. */
export const isFull = (error: unknown) => faultCode(error) === '53300';

/** Nothing may be written, be it in this session alone or in the whole server. */
export const isReadOnly = (error: unknown) => faultCode(error) === '25006';

/** What the driver and the sockets under it say. */
const lostReasons = new Set([
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN', 'ENETDOWN', 'EMFILE', 'ENFILE'],
]);

/** The connection is of no use any more. */
export function isConnectionFault(error: unknown): boolean {
  if (error instanceof ConnectionLost || error instanceof CommitUnknown || error instanceof OutOfReach)
    return true;
  const code = faultCode(error);
  return code === undefined ? isSocketFault(error) : code.startsWith('08') || lostCodes.has(code);
}

/** What the driver or the socket says when the connection is gone, or could not be had. */
export function isSocketFault(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return false;
  return error instanceof Error && 'code' in error && lostReasons.has(String(error.code));
}

/** The connection is gone, though perhaps the server is not: it may have been restarted while nobody asked. */
export function isBroken(error: unknown): boolean {
  if (error instanceof ConnectionLost) {
    return error.served && !(error.cause instanceof OutOfReach || error.cause instanceof ClientGone);
  }
  const code = faultCode(error) ?? '';
  return code === '57P01' || code === '57P02' || code === '26000' || code.startsWith('08');
}

export const isDeadlock = (error: unknown) => faultCode(error) === '40P01';

/** Whether a translated error is from waiting for others in vain (a deadlock, a lock), which PostgreSQL has rolled back. */
export function hasWaited(told: unknown): boolean {
  if (!(told instanceof Failure)) return false;
  return isDeadlock(told.cause) || faultCode(told.cause) === '55P03';
}

/**
 * Whoever does the same again may well succeed, and PostgreSQL has undone all of it: a deadlock, a conflict between
 * transactions, a prepared statement whose tables are other ones by now.
 */
export function isPassing(error: unknown): boolean {
  const code = faultCode(error);
  if (isDeadlock(error) || code === '40001') return true;
  return code === '0A000' && (error as postgres.PostgresError).routine === 'RevalidateCachedQuery';
}

/** There is no room on the server, or it may not be written to: nothing that passes by itself. */
const troubleCodes = new Set(['53000', '53100', '53200', '53400', '58030', '25006']);

/** Or took too long, or waited too long for a lock. */
const busyCodes = new Set(['57014', '55P03', ...troubleCodes]);

/** Tables are dropped some time after their collection was changed or deleted, or at once with their project. */
export function isTableGone(error: unknown): boolean {
  const code = faultCode(error);
  if (code === '42P01' || code === '3F000') return true;
  return code === 'XX000' && /could not open relation with OID/.test(String((error as Error).message));
}

/** An error that is known, as what it is to a caller. Anything else as it came. */
export function translate(error: unknown): unknown {
  if (isTableGone(error)) return new StaleSchema();
  if (error instanceof CommitUnknown) {
    // Without Retry-After: whoever sent it again could do it twice.
    return unavailable(
      'The connection to the database was lost during the commit: check whether this was saved before you try again',
      error,
      {},
    );
  }
  if (error instanceof ClientGone) return unavailable('The client went away', error);
  if (isConnectionFault(error) && !(error instanceof NoneFree))
    return unavailable('The database is out of reach right now: try again', error, {
      retryAfter: 2,
      ...troubleOf(error),
    });
  if (error instanceof NoneFree || isPassing(error) || busyCodes.has(faultCode(error) ?? '')) {
    return unavailable('The database is too busy right now: try again', error, {
      retryAfter: 2,
      ...troubleOf(error),
    });
  }
  return error;
}

/** That the server is not there is in the log already, as an outage and its end. */
function troubleOf(error: unknown): FailureDetail {
  const late = error instanceof ConnectionLost ? error.cause : error;
  if (late instanceof OutOfReach) return { trouble: `PostgreSQL: ${late.message}` };
  if (!(error instanceof postgres.PostgresError && troubleCodes.has(error.code))) return {};
  const { message, hint } = error;
  return { trouble: `PostgreSQL says: ${message}${hint ? ` (${hint})` : ''}` };
}

/** The same of work that fails later. */
export function translating<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw translate(error);
  });
}

function unavailable(message: string, cause: unknown, detail: FailureDetail = { retryAfter: 2 }): Failure {
  const failure = new Failure('unavailable', message, detail);
  failure.cause = cause;
  return failure;
}
