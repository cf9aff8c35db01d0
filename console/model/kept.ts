import { useEffect, useState } from 'preact/hooks';
import { itemKeys, readItem, writeItem } from './page-storage.ts';

/**
 * What was changed in a form of settings and not saved: like the drafts of records it lies in the browser until it is saved or
 * discarded. Names are paths, `shop/access/products`, so that all below one can be asked for.
 */
const prefix = 'vitrine kept ';
const oldest = 30 * 24 * 60 * 60_000;
const listeners = new Set<() => void>();

interface Kept {
  readonly value: unknown;
  readonly at: number;
}

function read(key: string): Kept | undefined {
  try {
    const kept = JSON.parse(readItem(key) ?? 'null') as Kept | null;
    return kept !== null && Date.now() - kept.at < oldest ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Without a value nothing is kept any more. */
export function keep(name: string, value: object | undefined): void {
  writeItem(prefix + name, value && JSON.stringify({ value, at: Date.now() } satisfies Kept));
  for (const listener of [...listeners]) listener();
}

function readBelow<T>(start: string): ReadonlyMap<string, T> {
  const all = new Map<string, T>();
  for (const key of itemKeys()) {
    const kept = key.startsWith(prefix + start) ? read(key) : undefined;
    if (kept) all.set(key.slice(prefix.length + start.length), kept.value as T);
  }
  return all;
}

/** All that is kept below a name, by the rest of it. */
export function useKept<T>(start: string): ReadonlyMap<string, T> {
  const [all, setAll] = useState(() => readBelow<T>(start));
  useEffect(() => {
    const listener = () => setAll(readBelow<T>(start));
    listeners.add(listener);
    addEventListener('storage', listener);
    listener();
    return () => {
      listeners.delete(listener);
      removeEventListener('storage', listener);
    };
  }, [start]);
  return all;
}

for (const key of Object.keys(localStorage).filter((one) => one.startsWith(prefix)))
  if (!read(key)) localStorage.removeItem(key);
