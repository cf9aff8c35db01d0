import { VitrineError } from '../../../client/client.ts';
import { messageOf, type Records } from '../../api.ts';
import type { Checked } from './to-payload.ts';

export const batchSize = 1000;

export type Outcome =
  | { readonly kind: 'done'; readonly written: number }
  | { readonly kind: 'stopped'; readonly written: number }
  /** Nobody answered, or not now: it can go on. */
  | { readonly kind: 'broken'; readonly written: number; readonly error: string }
  /** Nothing of it is there any more. */
  | { readonly kind: 'undone'; readonly error?: string }
  | { readonly kind: 'left'; readonly written: number; readonly error: string };

export interface ImportRun {
  readonly records: Records;
  readonly rows: readonly Checked[];
  /** What the keys of the batches begin with. */
  readonly run: string;
  /** How many rows are written already. */
  readonly from: number;
  readonly signal: AbortSignal;
  readonly onProgress: (written: number) => void;
  readonly onUndo: () => void;
}

/** Writes in batches of a thousand. When one is refused, those that were written before are deleted again. */
export async function runImport(options: ImportRun): Promise<Outcome> {
  const { rows, from, signal, onProgress, onUndo } = options;
  for (let at = from; at < rows.length; at += batchSize) {
    if (signal.aborted) return { kind: 'stopped', written: at };
    try {
      await writeBatch(options, at);
    } catch (error) {
      if (!isRefusal(error)) return { kind: 'broken', written: at, error: messageOf(error) };
      onUndo();
      return takeBack(options, at, inRows(messageOf(error), rows.slice(at, at + batchSize)));
    }
    onProgress(Math.min(at + batchSize, rows.length));
  }
  return { kind: 'done', written: rows.length };
}

/** The same batch under the same key is written once: sent again, it answers what it has made. */
async function writeBatch({ records, rows, run }: ImportRun, at: number): Promise<readonly string[]> {
  const { created } = await records.batch(
    (batch) => {
      for (const { payload } of rows.slice(at, at + batchSize)) batch.create(payload);
    },
    { idempotencyKey: `import-${run}-${at}` },
  );
  return created.map(({ _id }) => _id);
}

/** Of the rows, not of the sign-in, the connection or a server that has too much to do. */
const isRefusal = (error: unknown) =>
  error instanceof VitrineError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 408, 429].includes(error.status);

/** Deletes what is written so far, and what may be: a batch from `from` on of which no answer came. */
export async function takeBack(options: ImportRun, written: number, error?: string): Promise<Outcome> {
  try {
    for (let at = 0; at < written; at += batchSize) {
      const ids = await writeBatch(options, at).catch((caught: unknown) => {
        if (at >= options.from && isRefusal(caught)) return [];
        throw caught;
      });
      if (ids.length === 0) continue;
      const remove = { idempotencyKey: `import-${options.run}-${at}-back` };
      await options.records.batch((batch) => {
        for (const id of ids) batch.delete(id);
      }, remove);
    }
    return { kind: 'undone', ...(error !== undefined && { error }) };
  } catch (caught) {
    return { kind: 'left', written, error: error ?? messageOf(caught) };
  }
}

/** `create[3].price: …` is about the row that stood there. */
function inRows(message: string, part: readonly Checked[]): string {
  return message.replaceAll(/create\[(\d+)\]\.?/g, (_, at) => `row ${part[Number(at)]?.row.number ?? '?'}: `);
}
