import { useEffect, useRef, useState } from 'preact/hooks';
import { toast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';

/**
 * The browser's storage. What it refuses, because it is full or forbidden, is kept in this page; then leaving the page asks
 * first.
 */

const inPage = new Map<string, string>();
const listeners = new Set<() => void>();

export function readItem(key: string): string | null {
  return inPage.get(key) ?? localStorage.getItem(key);
}

/** `undefined` removes the item. */
export function writeItem(key: string, text: string | undefined): void {
  store(key, text);
  for (const listener of [...listeners]) listener();
}

function store(key: string, text: string | undefined): void {
  const wasInPage = inPage.delete(key);
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    if (text === undefined) return;
    inPage.set(key, text);
    if (!wasInPage) toast({ text: texts.drafts.inPageAlone, kind: 'bad' });
  }
}

/** For conveniences, such as which columns were shown: if the storage is full they are simply not remembered. */
export function rememberItem(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {}
}

/** Everything stored under keys with this prefix, by the rest of the key; what `read` does not understand is left out. */
export function useItems<T>(start: string, read: (key: string) => T | undefined): ReadonlyMap<string, T> {
  const [items, setItems] = useState(() => readItems(start, read));
  useEffect(() => {
    const listener = () => setItems(readItems(start, read));
    listener();
    return listen(listener);
  }, [start, read]);
  return items;
}

/** What is stored under a key; follows changes of it. */
export function useItem(key: string): string | null {
  const [, render] = useState({});
  const item = readItem(key);
  const shown = useRef(item);
  shown.current = item;
  useEffect(() => listen(() => readItem(key) !== shown.current && render({})), [key]);
  return item;
}

/** Calls the listener whenever something is written, here or in another tab. Returns a function that ends this. */
function listen(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

function readItems<T>(start: string, read: (key: string) => T | undefined): ReadonlyMap<string, T> {
  const items = new Map<string, T>();
  for (const key of new Set([...Object.keys(localStorage), ...inPage.keys()])) {
    const item = key.startsWith(start) ? read(key) : undefined;
    if (item !== undefined) items.set(key.slice(start.length), item);
  }
  return items;
}

/** Removes what an earlier page stored under keys with this prefix and `read` no longer accepts. */
export function dropStale(start: string, read: (key: string) => unknown): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(start) && read(key) === undefined) localStorage.removeItem(key);
}

/** The browser shows its own question. */
export function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

addEventListener('beforeunload', (event) => {
  if (inPage.size > 0) askBeforeLeaving(event);
});
