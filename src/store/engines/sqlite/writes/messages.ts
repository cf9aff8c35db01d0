import { Failure } from '../../../../failure.ts';
import { ProjectGone, StaleProfile, StaleSchema } from '../../../schema.ts';
import type { BatchAnswer, BatchPlan, BatchStep, InsertPlan } from '../../../write-plans.ts';
import type { WriteKind } from './calls.ts';

/** Calls about a file as a whole, about a folder (`sweep`), or about everything (`settled`). */
export type FileCall =
  | 'draft'
  | 'place'
  | 'replace'
  | 'discard'
  | 'seal'
  | 'unseal'
  | 'remove'
  | 'sweep'
  | 'open'
  | 'settled';

/** Requests to the writer: about a file or, by the number that `open` returned, to an open one. */
export type Ask = FileAsk | WriteAsk;

interface FileAsk {
  readonly n: number;
  readonly call: FileCall;
  readonly path: string;
  readonly token?: string;
}

export interface WriteAsk {
  readonly n: number;
  readonly call: WriteKind | 'watch' | 'unwatch' | 'close';
  /** Not the path, which can be opened again while a file that was there before is still open. */
  readonly opened: number;
  readonly plan?: unknown;
}

/** A new record's values come last, serialized as they are stored: the writer need not serialize them again. */
export function writeAsk(ask: Ask): string {
  if (ask.call !== 'insert') return JSON.stringify(ask);
  const plan = ask.plan as InsertPlan;
  return `${JSON.stringify({ ...ask, plan: withoutValues(plan) })}\t${JSON.stringify(plan.values)}`;
}

/** JSON leaves out what is undefined; a copy without the property takes longer to make. */
const withoutValues = (plan: InsertPlan) => ({ ...plan, values: undefined });

/**
 * A batch can have 16 MiB: it is serialized and parsed one operation at a time, with tabs in between. The values of a new
 * record are separate, as above.
 */
export function* writeBatchAsk(ask: WriteAsk): Generator<void, string, void> {
  const { plan, ...rest } = ask;
  const { steps, ...other } = plan as BatchPlan;
  const texts = [`[${JSON.stringify({ ...rest, plan: other })}`];
  for (const step of steps) {
    if (step.kind === 'insert') {
      const { plan } = step;
      texts.push(JSON.stringify({ ...step, plan: withoutValues(plan) }), JSON.stringify(plan.values));
    } else texts.push(JSON.stringify(step));
    yield;
  }
  return texts.join('\t');
}

export const isBatchAsk = (line: string) => line.startsWith('[');

export function* readBatchAsk(line: string): Generator<void, WriteAsk, void> {
  const [head = '', ...texts] = line.slice(1).split('\t');
  const { plan, ...rest } = JSON.parse(head) as WriteAsk;
  const steps: BatchStep[] = [];
  for (let at = 0; at < texts.length; at++) {
    const step = JSON.parse(texts[at] ?? '') as BatchStep;
    if (step.kind === 'insert') {
      at += 1;
      steps.push({ ...step, plan: withValues(step.plan, texts[at] ?? '') });
    } else steps.push(step);
    yield;
  }
  return { ...rest, plan: { ...(plan as Omit<BatchPlan, 'steps'>), steps } };
}

/** JSON text contains no tabs. */
export function readAsk(line: string): Ask {
  const tab = line.lastIndexOf('\t');
  if (tab < 0) return JSON.parse(line);
  const ask = JSON.parse(line.slice(0, tab)) as WriteAsk;
  return { ...ask, plan: withValues(ask.plan as InsertPlan, line.slice(tab + 1)) };
}

function withValues(plan: InsertPlan, valuesJson: string): InsertPlan {
  return { ...plan, values: JSON.parse(valuesJson), valuesJson };
}

/** From the writer, about the request with the same number. */
export interface Reply {
  readonly n: number;
  readonly answer?: unknown;
  readonly error?: SentError;
  /** Progress of a long write, or that the log has grown; the answer is still to come. */
  readonly progress?: readonly [number, number];
}

/**
 * The JSON of records contains no line feeds and no tabs, so it needs no quoting: a single one follows its number as it is,
 * those of a batch are each preceded by a tab.
 */
export function writeReply(reply: Reply): string {
  const { n, answer } = reply;
  if (typeof answer === 'string' && !answer.includes('\n')) return `${n} ${answer}`;
  if (isBatchAnswer(answer)) return [`[${n} ${answer.replayed}`, ...answer.results].join('\t');
  return JSON.stringify(reply);
}

export function readReply(line: string): Reply {
  if (line.startsWith('{')) return JSON.parse(line);
  if (line.startsWith('[')) {
    const [head = '', ...results] = line.slice(1).split('\t');
    const [n, replayed] = head.split(' ');
    return { n: Number(n), answer: { results, replayed: replayed === 'true' } };
  }
  const end = line.indexOf(' ');
  return { n: Number(line.slice(0, end)), answer: line.slice(end + 1) };
}

function isBatchAnswer(answer: unknown): answer is BatchAnswer {
  return typeof answer === 'object' && answer !== null && 'results' in answer && 'replayed' in answer;
}

export type SentError =
  | { readonly kind: 'stale' | 'staleProfile' | 'gone' }
  | ({ readonly kind: 'failure'; readonly failure: Failure['kind'] } & Pick<
      Failure,
      'message' | 'issues' | 'detail'
    >)
  | {
      readonly kind: 'bug';
      readonly message: string;
      readonly stack: string | undefined;
      /** The system's error code, such as EROFS. */
      readonly code: string | undefined;
    };

export function sendError(error: unknown): SentError {
  if (error instanceof StaleSchema) return { kind: 'stale' };
  if (error instanceof StaleProfile) return { kind: 'staleProfile' };
  if (error instanceof ProjectGone) return { kind: 'gone' };
  if (error instanceof Failure) {
    const { kind: failure, message, issues, detail } = error;
    return { kind: 'failure', failure, message, issues, detail };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { kind: 'bug', message, stack, code };
}

export function reviveError(sent: SentError): Error {
  switch (sent.kind) {
    case 'stale':
      return new StaleSchema();
    case 'staleProfile':
      return new StaleProfile();
    case 'gone':
      return new ProjectGone();
    case 'failure': {
      const { failure, message, issues, detail } = sent;
      return new Failure(failure, issues.length > 0 ? issues : message, detail);
    }
    case 'bug':
      return Object.assign(new Error(sent.message), {
        stack: sent.stack,
        ...(sent.code !== undefined && { code: sent.code }),
      });
  }
}
