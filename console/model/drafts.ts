import type { AnyRecord, Values } from './fields.ts';
import { dropStale, readItem, useItems, writeItem } from './page-storage.ts';

/**
 * What was typed but not saved. It is in the browser's storage from the first key on, so that a reload, an expired sign-in,
 * navigating back or a crash loses nothing. It ends when it is saved or discarded.
 */
export interface Draft {
  /** The record as it was when editing began; null for a new one. */
  readonly base: AnyRecord | null;
  /** Only the changed values. */
  readonly values: Values;
  /**
   * The JSON, where it is half typed and can't be parsed. Then `values` are from the last text that could be, and not what was
   * meant.
   */
  readonly text?: string | undefined;
  readonly at: string;
}

const prefix = 'vitrine draft ';
const oldest = 30 * 24 * 60 * 60_000;

/** `id`: that of the record, or `new`. */
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

/** The drafts of a collection, by the ids of their records; `new` for a new record. */
export const useDrafts = (project: string, collection: string): ReadonlyMap<string, Draft> =>
  useItems(draftKey(project, collection, ''), readDraft);

dropStale(prefix, (key) => {
  const draft = readDraft(key);
  return draft && Date.now() - Date.parse(draft.at) > oldest ? undefined : draft;
});
