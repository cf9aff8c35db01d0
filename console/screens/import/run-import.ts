import { messageOf, type Records } from '../../api.ts';
import type { Checked } from './to-payload.ts';

const batchSize = 1000;

export type Outcome =
  | { readonly kind: 'done'; readonly written: number }
  | { readonly kind: 'stopped'; readonly written: number }
  /** Nothing of it is there any more. */
  | { readonly kind: 'undone'; readonly error: string }
  | { readonly kind: 'left'; readonly written: number; readonly error: string };

export interface ImportRun {
  readonly records: Records;
  readonly rows: readonly Checked[];
  readonly signal: AbortSignal;
  readonly onProgress: (written: number) => void;
  readonly onUndo: () => void;
}

/** Writes in batches of a thousand. When one is refused, those that were written before are deleted again. */
export async function runImport({ records, rows, signal, onProgress, onUndo }: ImportRun): Promise<Outcome> {
  const written: string[] = [];
  for (let at = 0; at < rows.length; at += batchSize) {
    if (signal.aborted) return { kind: 'stopped', written: written.length };
    const part = rows.slice(at, at + batchSize);
    try {
      const { created } = await records.batch((batch) => {
        for (const { payload } of part) batch.create(payload);
      });
      for (const { _id } of created) written.push(_id);
    } catch (error) {
      onUndo();
      return undo(records, written, inRows(messageOf(error), part));
    }
    onProgress(written.length);
  }
  return { kind: 'done', written: written.length };
}

async function undo(records: Records, ids: readonly string[], error: string): Promise<Outcome> {
  try {
    for (let at = 0; at < ids.length; at += batchSize) {
      await records.batch((batch) => {
        for (const id of ids.slice(at, at + batchSize)) batch.delete(id);
      });
    }
    return { kind: 'undone', error };
  } catch {
    return { kind: 'left', written: ids.length, error };
  }
}

/** `create[3].price: …` is about the row that stood there. */
function inRows(message: string, part: readonly Checked[]): string {
  return message.replaceAll(/create\[(\d+)\]\.?/g, (_, at) => `row ${part[Number(at)]?.row.number ?? '?'}: `);
}
