/** The kinds of refusal a caller can meet. The HTTP status of each stands in one table, in http/respond.ts. */
export type FailureKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'absent'
  | 'verb'
  | 'conflict'
  | 'stale'
  | 'tooLarge'
  | 'uriTooLong'
  | 'mediaType'
  | 'tooMany'
  | 'unavailable';

export interface FailureDetail {
  /** For `verb`: what the path does take. */
  readonly allow?: readonly string[];
  /** For `tooMany` and `unavailable`: seconds after which another try makes sense. */
  readonly retryAfter?: number;
}

/** An expected refusal, with a message for the caller. Anything else that is thrown is a bug. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly detail: FailureDetail;

  constructor(kind: FailureKind, message: string, detail: FailureDetail = {}) {
    super(message);
    this.name = 'Failure';
    this.kind = kind;
    this.detail = detail;
  }
}

/** One broken rule and where it was broken: `price`, `tags[2]`. */
export interface Issue {
  readonly at: string;
  readonly message: string;
}

/** Every broken rule in one refusal: `price: must be at least 0; title: is required`. */
export function invalid(issues: readonly Issue[]): Failure {
  return new Failure('invalid', issues.map(({ at, message }) => `${at}: ${message}`).join('; '));
}
