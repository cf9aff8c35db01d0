import { useEffect, useState } from 'preact/hooks';
import { messageOf, recordsOf } from '../api.ts';
import { toast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';
import { done } from './undo.ts';

/** Milliseconds in which a deletion can be taken back: nothing is sent before. */
const graceTime = 10_000;
/** Milliseconds that signing out waits for what is sent before it. */
const longestWait = 3_000;

let pending: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();
/** What sends each of those that wait at once. */
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

/** Hides a record at once, and deletes it when nobody has taken that back. */
export function deleteSoon({ project, collection, id, name, onDeleted }: Deletion): void {
  // Of whoever has decided it: another may be looking by the time it is sent.
  const records = recordsOf(project, collection);
  become(new Set([...pending, id]));
  const stop = () => {
    clearTimeout(timer);
    waiting.delete(send);
  };
  const send = async () => {
    stop();
    over();
    try {
      await records.delete(id);
      onDeleted();
    } catch (error) {
      toast({ kind: 'bad', text: messageOf(error) });
    }
    become(without(id));
  };
  const timer = setTimeout(send, graceTime);
  waiting.add(send);
  const undo = async () => {
    stop();
    become(without(id));
  };
  const over = done(texts.record.deleting(name), undo, { time: graceTime, countdown: true });
}

/** Sends what still waits: nobody will be there to do it later. */
export async function deleteNow(): Promise<void> {
  const tooLong = new Promise((resolve) => setTimeout(resolve, longestWait));
  await Promise.race([Promise.all([...waiting].map((send) => send())), tooLong]);
}

// The browser goes on with it after the page is gone: see `watchedFetch`.
addEventListener('pagehide', () => void deleteNow());

/** The ids of what is about to be deleted. */
export function usePendingDeletes(): ReadonlySet<string> {
  const [seen, setSeen] = useState(pending);
  useEffect(() => {
    const listener = () => setSeen(pending);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return seen;
}
