/** The kinds of expected errors. The HTTP status of each is in one table, in http/respond.ts. */
export type FailureKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'absent'
  | 'verb'
  | 'conflict'
  /** It existed but is no longer kept. */
  | 'gone'
  | 'stale'
  | 'tooLarge'
  | 'uriTooLong'
  | 'mediaType'
  | 'tooMany'
  /** The server is not configured for it; the message says what to set. */
  | 'notSetUp'
  /** With retryAfter: nothing was done. Without: it is unknown whether anything was. */
  | 'unavailable'
  /** A read that took longer than --query-timeout. */
  | 'tooSlow';

export interface FailureDetail {
  /** For `verb`: the verbs that the path does support. */
  readonly allow?: readonly string[];
  /** For `tooMany` and `unavailable`: seconds after which to retry. */
  readonly retryAfter?: number;
  /** For `unavailable`: the problem of the machine, for the log and not for the caller. */
  readonly trouble?: string;
  /** For a page that includes too much: it may be answered with fewer records. */
  readonly fewer?: true;
}

/** One broken rule and where it was broken: `price`, `tags[2]`. */
export interface Issue {
  readonly at: string;
  readonly message: string;
}

/** An expected error, with a message for the caller. Anything else that is thrown is a bug. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly detail: FailureDetail;
  /** The broken rules that the message consists of, if it is about fields. */
  readonly issues: readonly Issue[];

  constructor(kind: FailureKind, said: string | readonly Issue[], detail: FailureDetail = {}) {
    super(typeof said === 'string' ? said.replace(/'.*'/s, asPart) : report(said));
    this.name = 'Failure';
    this.kind = kind;
    this.issues = typeof said === 'string' ? [] : said;
    this.detail = detail;
  }
}

/** The message with the problem of the machine; only for whoever runs the server. */
export function messageWithTrouble({ message, detail: { trouble } }: Failure): string {
  return trouble === undefined ? message : `${message} (${trouble})`;
}

/** Most broken rules that are reported per request. */
export const mostReported = 100;

function report(issues: readonly Issue[]): string {
  const parts = issues.slice(0, mostReported).map(({ at, message }) => asPart(`${at}: ${message}`));
  if (issues.length > mostReported) parts.push('and more');
  return parts.join('; ');
}

/** Keeps `; ` out of a part: it only separates parts, so that a client can split the message. */
function asPart(text: string): string {
  return text.replace(/; +/g, ';');
}

/** Collects broken rules. A body can break millions, so only as many are kept as will be reported. */
export class Issues {
  readonly #kept: Issue[] = [];

  /** Whether further ones would not be reported, so that there is no need to look for them. */
  get full(): boolean {
    return this.#kept.length > mostReported;
  }

  note(at: string, message: string): void {
    if (!this.full) this.#kept.push({ at, message });
  }

  add(issues: readonly Issue[]): void {
    for (const { at, message } of issues) this.note(at, message);
  }

  get kept(): readonly Issue[] {
    return this.#kept;
  }

  /** Throws if there are any. */
  done(): void {
    if (this.#kept.length > 0) throw invalid(this.#kept);
  }
}

/** All broken rules in one error: `price: must be at least 0; title: is required`. */
export function invalid(issues: readonly Issue[]): Failure {
  return new Failure('invalid', issues);
}

/** The same error within a larger body: `create[3].price: must be at least 0`. */
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
