import { dropStale, readItem, useItems, writeItem } from './page-storage.ts';

/**
 * What was changed in a form of settings and not saved: like the drafts of records it lies in the browser until it is saved or
 * discarded. Names are paths, `shop/access/products`, so that all below one can be asked for.
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

/** Without a value nothing is kept any more. */
export const keep = (name: string, value: object | undefined) =>
  writeItem(prefix + name, value && JSON.stringify({ value, at: Date.now() } satisfies Kept));

export const findKept = <T>(name: string) => readKept(prefix + name) as T | undefined;

/** All that is kept below a name, by the rest of it. */
export const useKept = <T>(start: string) => useItems(prefix + start, readKept) as ReadonlyMap<string, T>;

dropStale(prefix, readKept);
