import { messageOf, type Records } from '../../api.ts';
import { type ListQuery, whereOf } from '../../model/list-query.ts';
import type { Selection } from './selection.ts';

export interface BulkProgress {
  readonly done: number;
  /** undefined: not known until the run is done. */
  readonly total: number | undefined;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly error?: string;
}

export interface BulkRun {
  readonly records: Records;
  readonly query: ListQuery;
  readonly selection: Selection;
  /** Applies one batch, atomically. */
  readonly apply: (ids: readonly string[]) => Promise<unknown>;
  readonly onProgress: (progress: BulkProgress) => void;
  readonly signal: AbortSignal;
}

const batchSize = 1000;

/** Runs over the selection in batches of 1,000; it can be stopped between two of them. */
export async function runBulk({ onProgress, ...run }: BulkRun): Promise<BulkProgress> {
  const { selection, apply, signal } = run;
  const total = selection.kind === 'some' ? selection.ids.size : undefined;
  let done = 0;
  const tell = (progress: Pick<BulkProgress, 'state' | 'error'>): BulkProgress => {
    const told = { done, total: progress.state === 'done' ? done : total, ...progress };
    onProgress(told);
    return told;
  };
  tell({ state: 'running' });
  try {
    for await (const ids of batches(run, selection, signal)) {
      if (signal.aborted) return tell({ state: 'stopped' });
      await apply(ids);
      done += ids.length;
      tell({ state: 'running' });
    }
    return tell({ state: 'done' });
  } catch (error) {
    return tell(
      signal.aborted ? { state: 'stopped' } : { state: 'failed', error: faultOfAll(messageOf(error)) },
    );
  }
}

/**
 * Removes positions such as `update[7].`, so that an error that all records of a batch share is shown once. Where it was, what
 * the server left out is the same of further records.
 */
function faultOfAll(message: string): string {
  const faults = message.split('; ').map((fault) => fault.replace(/^(update|delete)\[\d+\](\.|: )/, ''));
  const different = new Set(faults);
  if (different.size < faults.length) different.delete('and more');
  return [...different].join('; ');
}

async function* batches(
  { records, query }: Pick<BulkRun, 'records' | 'query'>,
  selection: Selection,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  if (selection.kind === 'some') {
    const ids = [...selection.ids];
    for (let at = 0; at < ids.length; at += batchSize) yield ids.slice(at, at + batchSize);
    return;
  }
  // All ids are collected before the first change, because a change may affect which records match.
  const { conditions, search } = query;
  const ids: string[] = [];
  const walk = records.all({
    where: whereOf(conditions),
    ...(search !== '' && { search }),
    fields: ['_id'],
    perPage: batchSize,
    signal,
  });
  for await (const page of walk.pages()) ids.push(...page.found.map(({ _id }) => _id));
  for (let at = 0; at < ids.length; at += batchSize) yield ids.slice(at, at + batchSize);
}
