/** The kinds of refusal a caller can meet. The HTTP status of each stands in one table, in http/respond.ts. */
export type FailureKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'absent'
  | 'verb'
  | 'conflict'
  /** What is no longer kept. */
  | 'gone'
  | 'stale'
  | 'tooLarge'
  | 'uriTooLong'
  | 'mediaType'
  | 'tooMany'
  /** This server is not set up for it; the message says what to set. */
  | 'notSetUp'
  /** With retryAfter: nothing was done. Without: nobody knows whether it was. */
  | 'unavailable'
  /** A read that took longer than --query-timeout. */
  | 'tooSlow';

export interface FailureDetail {
  /** For `verb`: what the path does take. */
  readonly allow?: readonly string[];
  /** For `tooMany` and `unavailable`: seconds after which another try makes sense. */
  readonly retryAfter?: number;
  /** For `unavailable`: what is wrong with the machine, for the log and not for the caller. */
  readonly trouble?: string;
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
    super(typeof said === 'string' ? said.replace(/'.*'/s, asPart) : report(said));
    this.name = 'Failure';
    this.kind = kind;
    this.issues = typeof said === 'string' ? [] : said;
    this.detail = detail;
  }
}

/** The message, with what is wrong with the machine: for whoever runs it, and for nobody else. */
export function messageWithTrouble({ message, detail: { trouble } }: Failure): string {
  return trouble === undefined ? message : `${message} (${trouble})`;
}

/** Of the rules that a request breaks, so many are reported. */
export const mostReported = 100;

function report(issues: readonly Issue[]): string {
  const parts = issues.slice(0, mostReported).map(({ at, message }) => asPart(`${at}: ${message}`));
  if (issues.length > mostReported) parts.push('and more');
  return parts.join('; ');
}

/** `; ` stands between parts and nowhere else, so that a client can take the message apart. */
function asPart(text: string): string {
  return text.replace(/; +/g, ';');
}

/** Broken rules as they are found. A body can break millions: only as many are kept as will be reported. */
export class Issues {
  readonly #kept: Issue[] = [];

  /** Whether what is found from now on would not be reported: then there is no need to look for it. */
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

  /** Throws where there are any. */
  done(): void {
    if (this.#kept.length > 0) throw invalid(this.#kept);
  }
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
