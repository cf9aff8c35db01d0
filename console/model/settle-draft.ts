import { type Draft, readDraft, writeDraft } from './drafts.ts';
import { type AnyRecord, sameValue, shownValue, type Values } from './fields.ts';

/** What was sent to be saved, and which version it was a change of. */
type Sent = Pick<Draft, 'base' | 'values'>;
type Listener = (saved: AnyRecord, values: Values) => void;

const listeners = new Map<string, Set<Listener>>();

/** Of what a form shows now, what it did not show when it was sent; `start` is what it shows where nothing was changed. */
export function typedSince(start: Values, sent: Values, now: Values): Values {
  const names = new Set([...Object.keys(sent), ...Object.keys(now)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => !sameValue(shownValue(name, start, now), shownValue(name, start, sent)))
      .map((name) => [name, shownValue(name, start, now)]),
  );
}

/** A record is saved: of its draft stays what was typed meanwhile, as a change of what the record is now. */
export function settleDraft(key: string, sent: Sent, saved: AnyRecord): void {
  const draft = readDraft(key);
  // One of another version, by another tab, stays as it is: what differs is shown when it is saved.
  const isOther = draft !== undefined && draft.base?._updatedAt !== sent.base?._updatedAt;
  const since = isOther ? {} : typedSince(sent.base ?? {}, sent.values, draft?.values ?? {});
  const values = Object.fromEntries(
    Object.entries(since).filter(([name, value]) => !sameValue(value, saved[name])),
  );
  if (!isOther) keepDraft(key, saved, values);
  for (const listener of [...(listeners.get(key) ?? [])]) listener(saved, values);
}

/** Without changes there is no draft. */
export function keepDraft(key: string, base: AnyRecord | null, values: Values): void {
  const empty = Object.keys(values).length === 0;
  writeDraft(key, empty ? undefined : { base, values, at: new Date().toISOString() });
}

/** For whoever shows this record: it was saved, perhaps from elsewhere. */
export function onSettled(key: string, listener: Listener): () => void {
  const known = listeners.get(key) ?? new Set();
  listeners.set(key, known.add(listener));
  return () => {
    known.delete(listener);
    if (known.size === 0) listeners.delete(key);
  };
}
