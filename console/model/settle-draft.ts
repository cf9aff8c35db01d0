import { type Draft, readDraft, writeDraft } from './drafts.ts';
import { type AnyRecord, sameValue, shownValue, type Values } from './fields.ts';

/** The changed values, and the version of the record that they change. */
type Changed = Pick<Draft, 'base' | 'values' | 'text'>;

/** A form that shows a record. */
interface OpenForm {
  /** Its current content. */
  now(): Changed;
  /** The record was saved, perhaps in another place; `values` are still unsaved. */
  show(saved: AnyRecord, values: Values): void;
  /** Discarded values come back; what was typed since takes precedence. */
  restore(values: Values, text: string | undefined): void;
}

const openForms = new Map<string, Set<OpenForm>>();

/** What was typed since `sent` was sent: the fields that the form shows differently now. `start`: what it shows without changes. */
export function typedSince(start: Values, sent: Values, now: Values): Values {
  const names = new Set([...Object.keys(sent), ...Object.keys(now)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => !sameValue(shownValue(name, start, now), shownValue(name, start, sent)))
      .map((name) => [name, shownValue(name, start, now)]),
  );
}

const isOfSame = (one: Changed, other: Changed) => one.base?._updatedAt === other.base?._updatedAt;

/**
 * A record was saved. What was typed meanwhile stays in its draft, as a change of the saved record. A form knows what was typed
 * into it; the storage is shared with other tabs, and may hold what was typed there. A draft of another version is left alone:
 * the differences are shown when it is saved.
 */
export function settleDraft(key: string, sent: Changed, saved: AnyRecord): void {
  const left = (now: Values) => {
    const since = typedSince(sent.base ?? {}, sent.values, now);
    return Object.fromEntries(
      Object.entries(since).filter(([name, value]) => !sameValue(value, saved[name])),
    );
  };
  const forms = [...(openForms.get(key) ?? [])].filter((form) => isOfSame(form.now(), sent));
  for (const form of forms) {
    const { values: now } = form.now();
    const values = left(now);
    replaceDraft(key, now, { base: saved, values, text: readDraft(key)?.text });
    form.show(saved, values);
  }
  const draft = forms.length === 0 ? readDraft(key) : undefined;
  // Without a form, a value that is missing in the draft was not typed here: another tab may have removed it.
  if (draft && isOfSame(draft, sent))
    keepDraft(key, saved, left({ ...sent.values, ...draft.values }), draft.text);
}

/** Replaces the draft. If no values are left, it is removed only if it holds the `known` ones: otherwise it is another tab's. */
export function replaceDraft(key: string, known: Values, { base, values, text }: Changed): void {
  const draft = readDraft(key);
  const isOwn = draft !== undefined && sameValue({ ...draft.values }, { ...known });
  if (isOwn || Object.keys(values).length > 0) keepDraft(key, base, values, text);
}

/** Brings back a draft that was discarded by accident; what was typed since stays. */
export function restoreDraft(key: string, { base, values, text }: Changed): void {
  const forms = [...(openForms.get(key) ?? [])];
  const now = readDraft(key);
  if (forms.length === 0)
    keepDraft(key, now ? now.base : base, { ...values, ...now?.values }, now?.text ?? text);
  for (const form of forms) form.restore(values, text);
}

/** A draft without changes is removed. */
export function keepDraft(key: string, base: AnyRecord | null, values: Values, text?: string): void {
  const empty = Object.keys(values).length === 0 && text === undefined;
  writeDraft(key, empty ? undefined : { base, values, text, at: new Date().toISOString() });
}

/** Registers an open form, which is told when its record is saved. Returns a function that ends this. */
export function whileOpen(key: string, form: OpenForm): () => void {
  const known = openForms.get(key) ?? new Set();
  openForms.set(key, known.add(form));
  return () => {
    known.delete(form);
    if (known.size === 0) openForms.delete(key);
  };
}
