import { useEffect, useState } from 'preact/hooks';
import type { AnyRecord, Values } from './fields.ts';
import { itemKeys, readItem, writeItem } from './page-storage.ts';

/**
 * What was typed and not saved. It lies in the browser's storage from the first key on: a reload, the end of the sign-in, a way
 * back or a crash loses nothing. It ends when it is saved or discarded.
 */
export interface Draft {
  /** The record as it was when editing began; null for one that is not there yet. */
  readonly base: AnyRecord | null;
  /** Only what was changed. */
  readonly values: Values;
  readonly at: string;
}

const prefix = 'vitrine draft ';
const oldest = 30 * 24 * 60 * 60_000;
const listeners = new Set<() => void>();

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

export function writeDraft(key: string, draft: Draft | undefined): void {
  writeItem(key, draft && JSON.stringify(draft));
  for (const listener of [...listeners]) listener();
}

/** The drafts of a collection, by the ids of their records; `new` for one that is not there yet. */
export function useDrafts(project: string, collection: string): ReadonlyMap<string, Draft> {
  const start = draftKey(project, collection, '');
  const [drafts, setDrafts] = useState(() => readDrafts(start));
  useEffect(() => {
    const listener = () => setDrafts(readDrafts(start));
    listeners.add(listener);
    addEventListener('storage', listener);
    listener();
    return () => {
      listeners.delete(listener);
      removeEventListener('storage', listener);
    };
  }, [start]);
  return drafts;
}

function readDrafts(start: string): ReadonlyMap<string, Draft> {
  const drafts = new Map<string, Draft>();
  for (const key of itemKeys()) {
    const draft = key.startsWith(start) ? readDraft(key) : undefined;
    if (draft) drafts.set(key.slice(start.length), draft);
  }
  return drafts;
}

for (const key of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
  const draft = readDraft(key);
  if (!draft || Date.now() - Date.parse(draft.at) > oldest) localStorage.removeItem(key);
}
