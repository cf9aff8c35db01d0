import { type Draft, readDraft, writeDraft } from './drafts.ts';
import { type AnyRecord, sameValue, shownValue, type Values } from './fields.ts';

/** What was changed, and of which version it is a change. */
type Changed = Pick<Draft, 'base' | 'values' | 'text'>;

/** A form that shows a record. */
interface OpenForm {
  /** What it holds now. */
  now(): Changed;
  /** The record was saved, perhaps from elsewhere; `values` are not. */
  show(saved: AnyRecord, values: Values): void;
  /** What was discarded is there again, below what was typed since. */
  restore(values: Values, text: string | undefined): void;
}

const openForms = new Map<string, Set<OpenForm>>();

/** What was typed since values were sent: the fields that a form shows otherwise now. `start`: what it shows without changes. */
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
 * A record is saved: of its draft stays what was typed meanwhile, as a change of what the record is now. A form knows what was
 * typed into it; the storage is shared with other tabs, and may hold what was typed there. What is of another version stays as it
 * is: what differs is shown when it is saved.
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
  // Without a form, what is not in the draft was not typed: another tab may have taken it away.
  if (draft && isOfSame(draft, sent))
    keepDraft(key, saved, left({ ...sent.values, ...draft.values }), draft.text);
}

/** Replaces the draft. Where no values are left it is removed only if it has the `known` ones: another is of another tab. */
export function replaceDraft(key: string, known: Values, { base, values, text }: Changed): void {
  const draft = readDraft(key);
  const isOwn = draft !== undefined && sameValue({ ...draft.values }, { ...known });
  if (isOwn || Object.keys(values).length > 0) keepDraft(key, base, values, text);
}

/** A draft that was discarded by a slip of the hand is there again; what was typed since stays. */
export function restoreDraft(key: string, { base, values, text }: Changed): void {
  const forms = [...(openForms.get(key) ?? [])];
  const now = readDraft(key);
  if (forms.length === 0)
    keepDraft(key, now ? now.base : base, { ...values, ...now?.values }, now?.text ?? text);
  for (const form of forms) form.restore(values, text);
}

/** Without changes there is no draft. */
export function keepDraft(key: string, base: AnyRecord | null, values: Values, text?: string): void {
  const empty = Object.keys(values).length === 0 && text === undefined;
  writeDraft(key, empty ? undefined : { base, values, text, at: new Date().toISOString() });
}

/** Until what it returns is called, this form is told when its record was saved. */
export function whileOpen(key: string, form: OpenForm): () => void {
  const known = openForms.get(key) ?? new Set();
  openForms.set(key, known.add(form));
  return () => {
    known.delete(form);
    if (known.size === 0) openForms.delete(key);
  };
}
