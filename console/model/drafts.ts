import type { AnyRecord, Values } from './fields.ts';
import { dropStale, readItem, useItems, writeItem } from './page-storage.ts';

/**
 * What was typed and not saved. It lies in the browser's storage from the first key on: a reload, the end of the sign-in, a way
 * back or a crash loses nothing. It ends when it is saved or discarded.
 */
export interface Draft {
  /** The record as it was when editing began; null for one that is not there yet. */
  readonly base: AnyRecord | null;
  /** Only what was changed. */
  readonly values: Values;
  /** The record as JSON where that is half typed and can't be read: `values` are of what could be, and not what was meant. */
  readonly text?: string | undefined;
  readonly at: string;
}

const prefix = 'vitrine draft ';
const oldest = 30 * 24 * 60 * 60_000;

/** `id`: of the record, or `new`. */
export const draftKey = (project: string, collection: string, id: string) =>
  `${prefix}${project}/${collection}/${id}`;

export function readDraft(key: string): Draft | undefined {
  try {
    const draft = JSON.parse(readItem(key) ?? 'null') as Draft | null;
    return draft !== null && typeof draft.values === 'object' ? draft : undefined;
  } catch {
    return undefined;
  }
}

export const writeDraft = (key: string, draft: Draft | undefined) =>
  writeItem(key, draft && JSON.stringify(draft));

/** The drafts of a collection, by the ids of their records; `new` for one that is not there yet. */
export const useDrafts = (project: string, collection: string): ReadonlyMap<string, Draft> =>
  useItems(draftKey(project, collection, ''), readDraft);

dropStale(prefix, (key) => {
  const draft = readDraft(key);
  return draft && Date.now() - Date.parse(draft.at) > oldest ? undefined : draft;
});
