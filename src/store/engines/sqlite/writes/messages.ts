import { Failure } from '../../../../failure.ts';
import { ProjectGone, StaleSchema } from '../../../schema.ts';
import type { WriteKind } from './requests.ts';

/** To the writer: about a file, or, by the number that `open` answered, to what was opened. */
export type Ask =
  | {
      readonly n: number;
      readonly call: 'create' | 'open' | 'remove';
      readonly path: string;
      readonly at?: number;
    }
  | {
      readonly n: number;
      readonly call: WriteKind | 'close';
      /** The same path may be opened again while another file is still open that was there before. */
      readonly opened: number;
      readonly sent?: unknown;
    };

/** From the writer, about the Ask of the same number. */
export interface Reply {
  readonly n: number;
  readonly answer?: unknown;
  readonly error?: SentError;
  /** How far a long write is; the answer is still to come. */
  readonly progress?: readonly [number, number];
}

/** A text without a line feed, as the JSON of a record is, needs no quotes around it: it goes as it is, behind its number. */
export function writeReply(reply: Reply): string {
  const { n, answer } = reply;
  return typeof answer === 'string' && !answer.includes('\n') ? `${n} ${answer}` : JSON.stringify(reply);
}

export function readReply(line: string): Reply {
  if (line.startsWith('{')) return JSON.parse(line);
  const end = line.indexOf(' ');
  return { n: Number(line.slice(0, end)), answer: line.slice(end + 1) };
}

type SentError =
  | { readonly kind: 'stale' | 'gone' }
  | ({ readonly kind: 'failure'; readonly failure: Failure['kind'] } & Pick<
      Failure,
      'message' | 'issues' | 'detail'
    >)
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string | undefined };

export function sendError(error: unknown): SentError {
  if (error instanceof StaleSchema) return { kind: 'stale' };
  if (error instanceof ProjectGone) return { kind: 'gone' };
  if (error instanceof Failure) {
    const { kind: failure, message, issues, detail } = error;
    return { kind: 'failure', failure, message, issues, detail };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'bug', message, stack };
}

export function reviveError(sent: SentError): Error {
  switch (sent.kind) {
    case 'stale':
      return new StaleSchema();
    case 'gone':
      return new ProjectGone();
    case 'failure': {
      const { failure, message, issues, detail } = sent;
      return new Failure(failure, issues.length > 0 ? issues : message, detail);
    }
    case 'bug':
      return Object.assign(new Error(sent.message), { stack: sent.stack });
  }
}
