export interface RequestLine {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** The trace id of the request's `traceparent`. */
  readonly trace?: string | undefined;
}

/** Writes one JSON object per line. */
export interface Log {
  /** Set only if every request is to be logged. */
  readonly request?: (line: RequestLine) => void;
  info(message: string): void;
  /** For a bug or a problem of the machine, with its stack. */
  error(message: string, error: unknown, requestId?: string, trace?: string): void;
}

/** `origin`: fields of every line that say where it comes from. */
export function createLog(write: (line: string) => void, requests: boolean, origin: object = {}): Log {
  const line = (level: string, fields: object) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), level, ...origin, ...fields })}\n`);
  return {
    ...(requests && { request: (fields: RequestLine) => line('request', fields) }),
    info: (message) => line('info', { message }),
    error: (message, error, requestId, trace) =>
      line('error', { message, requestId, trace, error: describe(error) }),
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
