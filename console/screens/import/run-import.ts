import { VitrineError } from '../../../client/client.ts';
import { messageOf, type Records } from '../../api.ts';
import { faultsOf } from '../../faults.ts';
import type { Checked, Fault } from './to-payload.ts';

export const batchSize = 1000;

export type Outcome =
  | { readonly kind: 'done'; readonly written: number }
  | { readonly kind: 'stopped'; readonly written: number }
  /** A connection or server problem: it can be resumed. */
  | { readonly kind: 'broken'; readonly written: number; readonly error: string }
  /** Everything that was written has been deleted again. */
  | { readonly kind: 'undone'; readonly refusal?: Refusal }
  /** Deleting it again failed. */
  | { readonly kind: 'left'; readonly written: number; readonly error: string };

/** Why a batch was refused, and what the server says of its rows, by their numbers. It may name no row. */
export interface Refusal {
  readonly error: string;
  readonly rows: ReadonlyMap<number, readonly Fault[]>;
}

export interface ImportRun {
  readonly records: Records;
  readonly rows: readonly Checked[];
  /** The prefix of the idempotency keys of the batches. */
  readonly run: string;
  /** How many rows have been written already. */
  readonly from: number;
  readonly signal: AbortSignal;
  readonly onProgress: (written: number) => void;
  readonly onUndo: () => void;
}

/** Writes in batches of 1,000. If one is refused, those written before are deleted again. */
export async function runImport(options: ImportRun): Promise<Outcome> {
  const { rows, from, signal, onProgress, onUndo } = options;
  for (let at = from; at < rows.length; at += batchSize) {
    if (signal.aborted) return { kind: 'stopped', written: at };
    try {
      await writeBatch(options, at);
    } catch (error) {
      if (!isRefusal(error)) return { kind: 'broken', written: at, error: messageOf(error) };
      onUndo();
      return takeBack(options, at, refusalOf(error, rows.slice(at, at + batchSize)));
    }
    onProgress(Math.min(at + batchSize, rows.length));
  }
  return { kind: 'done', written: rows.length };
}

/** The idempotency key makes the server write a batch once: sent again, it answers with the records it created. */
async function writeBatch({ records, rows, run }: ImportRun, at: number): Promise<readonly string[]> {
  const { created } = await records.batch(
    (batch) => {
      for (const { payload } of rows.slice(at, at + batchSize)) batch.create(payload);
    },
    { idempotencyKey: `import-${run}-${at}` },
  );
  return created.map(({ _id }) => _id);
}

/** Whether the rows themselves were refused, as opposed to an expired session, a lost connection or a busy server. */
const isRefusal = (error: unknown) =>
  error instanceof VitrineError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 408, 429].includes(error.status);

/**
 * Deletes the first `written` rows again. Sends each batch again to learn the ids. A batch from `from` on may have got no answer:
 * if it is refused now, it was never written.
 */
export async function takeBack(options: ImportRun, written: number, refusal?: Refusal): Promise<Outcome> {
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
    return { kind: 'undone', ...(refusal && { refusal }) };
  } catch (caught) {
    return { kind: 'left', written, error: refusal?.error ?? messageOf(caught) };
  }
}

/** A place in the batch, such as `create[3]` or `create[3].price`. */
const inBatch = /^create\[(\d+)\](?:\.(.+))?$/;

function refusalOf(error: unknown, part: readonly Checked[]): Refusal {
  const rows = new Map<number, Fault[]>();
  for (const [place, message] of Object.entries(faultsOf(error))) {
    const [, index, at = ''] = inBatch.exec(place) ?? [];
    const number = index === undefined ? undefined : part[Number(index)]?.row.number;
    if (number !== undefined) rows.set(number, [...(rows.get(number) ?? []), { at, message }]);
  }
  const inRows = (_: string, index: string) => `row ${part[Number(index)]?.row.number ?? '?'}: `;
  return { error: messageOf(error).replaceAll(/create\[(\d+)\]\.?/g, inRows), rows };
}
