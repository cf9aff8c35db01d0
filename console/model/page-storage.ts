import { useEffect, useRef, useState } from 'preact/hooks';
import { toast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';

/** The browser's storage. What that refuses, because it is full or forbidden, lives in this page, and leaving the page asks first. */

const inPage = new Map<string, string>();
const listeners = new Set<() => void>();

export function readItem(key: string): string | null {
  return inPage.get(key) ?? localStorage.getItem(key);
}

/** undefined removes it. */
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

/** What is only handy, as which columns were shown: where the storage is full it is not remembered, and all else goes on. */
export function rememberItem(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {}
}

/** All that is stored under keys that begin like this, by the rest of them; what `read` does not understand is left out. */
export function useItems<T>(start: string, read: (key: string) => T | undefined): ReadonlyMap<string, T> {
  const [items, setItems] = useState(() => readItems(start, read));
  useEffect(() => {
    const listener = () => setItems(readItems(start, read));
    listener();
    return listen(listener);
  }, [start, read]);
  return items;
}

/** What is stored under a key, also when that becomes another. */
export function useItem(key: string): string | null {
  const [, render] = useState({});
  const item = readItem(key);
  const shown = useRef(item);
  shown.current = item;
  useEffect(() => listen(() => readItem(key) !== shown.current && render({})), [key]);
  return item;
}

/** To whatever is written, here or in another tab, until what it gives is called. */
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

/** Removes what an earlier page left under keys that begin like this and `read` does not take any more. */
export function dropStale(start: string, read: (key: string) => unknown): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(start) && read(key) === undefined) localStorage.removeItem(key);
}

/** The browser asks in its own words. */
export function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

addEventListener('beforeunload', (event) => {
  if (inPage.size > 0) askBeforeLeaving(event);
});
