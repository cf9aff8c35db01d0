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

/** One broken rule and where it was broken: `price`, `tags[2]`. */
export interface Issue {
  readonly at: string;
  readonly message: string;
}

/** An expected refusal, with a message for the caller. Anything else that is thrown is a bug. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly detail: FailureDetail;
  /** The broken rules that make up the message, where it is about fields. */
  readonly issues: readonly Issue[];

  constructor(kind: FailureKind, said: string | readonly Issue[], detail: FailureDetail = {}) {
    super(typeof said === 'string' ? said : tell(said));
    this.name = 'Failure';
    this.kind = kind;
    this.issues = typeof said === 'string' ? [] : said;
    this.detail = detail;
  }
}

const mostTold = 100;

function tell(issues: readonly Issue[]): string {
  const told = issues.slice(0, mostTold).map(({ at, message }) => `${at}: ${message}`);
  if (issues.length > mostTold) told.push(`and ${issues.length - mostTold} more`);
  return told.join('; ');
}

/** Every broken rule in one refusal: `price: must be at least 0; title: is required`. */
export function invalid(issues: readonly Issue[]): Failure {
  return new Failure('invalid', issues);
}

/** The same refusal as part of something larger: `create[3].price: must be at least 0`. */
export function within(place: string, { kind, message, issues, detail }: Failure): Failure {
  return new Failure(kind, issuesWithin(place, { message, issues }), detail);
}

export function issuesWithin(
  place: string,
  { message, issues }: Pick<Failure, 'message' | 'issues'>,
): Issue[] {
  if (issues.length === 0) return [{ at: place, message }];
  return issues.map((issue) => ({ at: `${place}.${issue.at}`, message: issue.message }));
}
