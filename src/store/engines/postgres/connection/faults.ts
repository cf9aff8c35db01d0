import postgres from 'postgres';
import { Failure, type FailureDetail } from '../../../../failure.ts';
import { readOnlyMessage } from '../../../read-only.ts';
import { StaleSchema } from '../../../schema.ts';

/** The connection is lost, and with it whatever it was doing. */
export class ConnectionLost extends Error {
  /** Whether it had worked before: then a new connection is likely to succeed at once. */
  readonly served: boolean;

  constructor(cause?: unknown, served = false) {
    super(`the connection to PostgreSQL was lost${cause instanceof Error ? ` (${cause.message})` : ''}`, {
      cause,
    });
    this.served = served;
  }
}

/** The connection was lost during a commit, which may or may not have happened. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the connection to PostgreSQL was lost during a commit', { cause });
  }
}

/** No connection could be obtained, or no answer came in time. */
export class OutOfReach extends Error {}

/** All connections are in use: nothing was sent to PostgreSQL. */
export class NoneFree extends OutOfReach {}

/** The client has disconnected. */
export class ClientGone extends Error {}

/** The SQLSTATE of an error reported by PostgreSQL itself. */
export function faultCode(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined;
}

/** The server is shutting down, has ended or refused the connection; or a pooler has switched us to another one. */
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

/** The server has reached its connection limit. */
export const isFull = (error: unknown) => faultCode(error) === '53300';

/** Whether no connection could be made, but one may be soon: the server is starting, full, or slow to answer. */
export function mayConnectSoon(error: unknown): boolean {
  if (error instanceof OutOfReach || isFull(error) || faultCode(error) === '57P03') return true;
  return error instanceof Error && 'code' in error && error.code === 'CONNECT_TIMEOUT';
}

/** Nothing may be written, be it in this session alone or in the whole server. */
export const isReadOnly = (error: unknown) => faultCode(error) === '25006';

/** What the driver and the sockets under it say. */
const lostReasons = new Set([
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN', 'ENETDOWN', 'EMFILE', 'ENFILE'],
]);

/** Whether the connection is unusable from now on. */
export function isConnectionFault(error: unknown): boolean {
  if (error instanceof ConnectionLost || error instanceof CommitUnknown || error instanceof OutOfReach)
    return true;
  const code = faultCode(error);
  return code === undefined ? isSocketFault(error) : code.startsWith('08') || lostCodes.has(code);
}

/** An error of the driver or the socket which means that the connection was lost or could not be made. */
export function isSocketFault(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return false;
  return error instanceof Error && 'code' in error && lostReasons.has(String(error.code));
}

/** Whether the connection was lost although the server may be up: it may have restarted while the connection was idle. */
export function isBroken(error: unknown): boolean {
  if (error instanceof ConnectionLost) {
    return error.served && !(error.cause instanceof OutOfReach || error.cause instanceof ClientGone);
  }
  const code = faultCode(error) ?? '';
  return code === '57P01' || code === '57P02' || code === '26000' || code.startsWith('08');
}

export const isDeadlock = (error: unknown) => faultCode(error) === '40P01';

/** Whether a translated error was a deadlock or lock timeout, after which PostgreSQL has rolled back. */
export function isLockFailure(told: unknown): boolean {
  if (!(told instanceof Failure)) return false;
  return isDeadlock(told.cause) || faultCode(told.cause) === '55P03';
}

/**
 * A retry may well succeed, and PostgreSQL has rolled everything back: a deadlock, a serialization failure, or a prepared
 * statement whose tables have changed.
 */
export function isTransient(error: unknown): boolean {
  const code = faultCode(error);
  if (isDeadlock(error) || code === '40001') return true;
  return code === '0A000' && (error as postgres.PostgresError).routine === 'RevalidateCachedQuery';
}

/** The server is out of resources or read-only: retrying does not help. */
const troubleCodes = new Set(['53000', '53100', '53200', '53400', '58030', '25006']);

/** Those, and statement and lock timeouts. */
const busyCodes = new Set(['57014', '55P03', ...troubleCodes]);

/** Tables are dropped some time after their collection was changed or deleted, or at once with their project. */
export function isTableGone(error: unknown): boolean {
  const code = faultCode(error);
  if (code === '42P01' || code === '3F000') return true;
  return code === 'XX000' && /could not open relation with OID/.test(String((error as Error).message));
}

/** Translates known errors into what they mean to a caller, and returns others unchanged. */
export function translate(error: unknown): unknown {
  if (isTableGone(error)) return new StaleSchema();
  if (error instanceof CommitUnknown) {
    // Without Retry-After: a blind retry could write twice.
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
  if (isReadOnly(error)) return unavailable(readOnlyMessage, error, { retryAfter: 2, ...troubleOf(error) });
  if (error instanceof NoneFree || isTransient(error) || busyCodes.has(faultCode(error) ?? '')) {
    return unavailable('The database is too busy right now: try again', error, {
      retryAfter: 2,
      ...troubleOf(error),
    });
  }
  return error;
}

/** What to log besides. That the server is unreachable is already logged, once when it begins and once when it ends. */
function troubleOf(error: unknown): FailureDetail {
  const late = error instanceof ConnectionLost ? error.cause : error;
  if (late instanceof OutOfReach) return { trouble: `PostgreSQL: ${late.message}` };
  if (!(error instanceof postgres.PostgresError && troubleCodes.has(error.code))) return {};
  const { message, hint } = error;
  return { trouble: `PostgreSQL says: ${message}${hint ? ` (${hint})` : ''}` };
}

/** Translates the error that a promise rejects with. */
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
