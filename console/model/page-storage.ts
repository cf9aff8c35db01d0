import { toast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';

/** The browser's storage. What that refuses, because it is full or forbidden, lives in this page, and leaving the page asks first. */

const inPage = new Map<string, string>();

export function readItem(key: string): string | null {
  return inPage.get(key) ?? localStorage.getItem(key);
}

/** undefined removes it. */
export function writeItem(key: string, text: string | undefined): void {
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

export const itemKeys = (): readonly string[] => [
  ...new Set([...Object.keys(localStorage), ...inPage.keys()]),
];

/** The browser asks in its own words. */
export function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

addEventListener('beforeunload', (event) => {
  if (inPage.size > 0) askBeforeLeaving(event);
});
