import { dropStale, readItem, useItems, writeItem } from './page-storage.ts';

/**
 * Unsaved changes in forms of settings: like drafts of records they stay in the browser's storage until they are saved or
 * discarded. Names are paths, such as `shop/access/products`, so that all below a path can be found.
 */
const prefix = 'vitrine kept ';
const oldest = 30 * 24 * 60 * 60_000;

interface Kept {
  readonly value: unknown;
  readonly at: number;
}

function readKept(key: string): unknown {
  try {
    const kept = JSON.parse(readItem(key) ?? 'null') as Kept | null;
    return kept !== null && Date.now() - kept.at < oldest ? kept.value : undefined;
  } catch {
    return undefined;
  }
}

/** `undefined` removes what was kept. */
export const keep = (name: string, value: object | undefined) =>
  writeItem(prefix + name, value && JSON.stringify({ value, at: Date.now() } satisfies Kept));

export const findKept = <T>(name: string) => readKept(prefix + name) as T | undefined;

/** All that is kept below a path, by the rest of its name. */
export const useKept = <T>(start: string) => useItems(prefix + start, readKept) as ReadonlyMap<string, T>;

dropStale(prefix, readKept);
