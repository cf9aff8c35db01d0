import { useEffect, useState } from 'preact/hooks';
import { messageOf, recordsOf } from '../api.ts';
import { toast } from '../parts/toasts.tsx';
import { consoleBase } from '../router.ts';
import { sessionToken } from '../session.ts';
import { texts } from '../texts.ts';
import { rememberItem } from './page-storage.ts';
import { done } from './undo.ts';

/** Milliseconds in which a deletion can be undone; it is sent after that. */
const graceTime = 10_000;
/** Milliseconds that signing out waits for deletions to be sent. */
const longestWait = 3_000;
/** Milliseconds that it waits where the browser has no locks by which to know when the other tabs are done. */
const blindWait = 500;

/**
 * The lock that a tab holds for each deletion that is pending there, so that other tabs can wait for it. Browsers have locks
 * only with TLS.
 */
const lock = `vitrine deleting ${consoleBase}`;
/**
 * The lock for this sign-in: a tab with another sign-in stays signed in, and is not waited for. Only pages of this origin see
 * the name, and the messages on the channel.
 */
const ownLock = () => `${lock} ${sessionToken()}`;
const locks: LockManager | undefined = navigator.locks;
const channel = new BroadcastChannel(lock);
/** Until when a deletion may be pending in any tab: if none is, signing out does not wait. */
const waitsUntil = () => Number(localStorage.getItem(lock) ?? 0);

let pending: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();
/** Each sends one of the pending deletions at once. */
const waiting = new Set<() => Promise<void>>();

function become(next: ReadonlySet<string>): void {
  pending = next;
  for (const listener of [...listeners]) listener();
}
const without = (id: string) => new Set([...pending].filter((one) => one !== id));

export interface Deletion {
  readonly project: string;
  readonly collection: string;
  readonly id: string;
  readonly name: string;
  readonly onDeleted: () => void;
}

/** Hides a record at once, and deletes it after a while, unless that is undone. */
export function deleteSoon({ project, collection, id, name, onDeleted }: Deletion): void {
  // With the rights of whoever decided it: somebody else may be signed in when it is sent.
  const records = recordsOf(project, collection);
  become(new Set([...pending, id]));
  const { promise: isOver, resolve: settle } = Promise.withResolvers<void>();
  void locks?.request(ownLock(), { mode: 'shared' }, () => isOver);
  rememberItem(lock, String(Date.now() + graceTime));
  const stop = () => {
    clearTimeout(timer);
    waiting.delete(send);
  };
  const send = async () => {
    stop();
    endUndo();
    try {
      await records.delete(id);
      onDeleted();
    } catch (error) {
      toast({ kind: 'bad', text: messageOf(error) });
    }
    become(without(id));
    settle();
  };
  const timer = setTimeout(send, graceTime);
  waiting.add(send);
  const undo = async () => {
    stop();
    become(without(id));
    settle();
  };
  const endUndo = done(texts.record.deleting(name), undo, { time: graceTime, countdown: true });
}

/** Sends all pending deletions now, as nobody will be there to do it later. */
async function deleteNow(): Promise<void> {
  const tooLong = new Promise((resolve) => setTimeout(resolve, longestWait));
  await Promise.race([Promise.all([...waiting].map((send) => send())), tooLong]);
}

/** The same in all tabs with this session, because signing out ends it for all of them. */
export async function deleteNowEverywhere(): Promise<void> {
  const own = ownLock();
  if (waiting.size > 0) await deleteNow();
  if (waitsUntil() < Date.now()) return;
  const { held = [] } = (await locks?.query()) ?? {};
  if (locks && !held.some(({ name }) => name === own)) return;
  channel.postMessage(sessionToken());
  if (locks) await locks.request(own, { signal: AbortSignal.timeout(longestWait) }, () => {}).catch(() => {});
  else await new Promise((resolve) => setTimeout(resolve, blindWait));
}
// A tab with another sign-in is not affected.
channel.onmessage = ({ data: token }: MessageEvent<unknown>) => {
  if (token === sessionToken()) void deleteNow();
};

// The browser completes the requests after the page is gone: see `watchedFetch`.
addEventListener('pagehide', () => void deleteNow());

/** The ids of the records that are about to be deleted. */
export function usePendingDeletes(): ReadonlySet<string> {
  const [seen, setSeen] = useState(pending);
  useEffect(() => {
    const listener = () => setSeen(pending);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return seen;
}
