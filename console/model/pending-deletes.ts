import { useEffect, useState } from 'preact/hooks';
import { messageOf, recordsOf } from '../api.ts';
import { toast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';

/** Milliseconds in which a deletion can be taken back: nothing is sent before. */
const graceTime = 10_000;

let pending: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

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
  become(new Set([...pending, id]));
  const timer = setTimeout(async () => {
    try {
      await recordsOf(project, collection).delete(id);
      onDeleted();
    } catch (error) {
      toast({ kind: 'bad', text: messageOf(error) });
    }
    become(without(id));
  }, graceTime);
  const undo = () => {
    clearTimeout(timer);
    become(without(id));
  };
  toast({
    text: texts.record.deleting(name),
    time: graceTime,
    countdown: true,
    action: { label: texts.undo, run: undo },
  });
}

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
