import { useEffect, useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { isStatus, recordsOf } from '../../api.ts';
import { draftKey, readDraft, writeDraft } from '../../model/drafts.ts';
import { type AnyRecord, blankValues, fieldsOf, shownValue, type Values } from '../../model/fields.ts';
import { labelOf } from '../../model/labels.ts';
import {
  keepDraft,
  replaceDraft,
  restoreDraft,
  settleDraft,
  typedSince,
  whileOpen,
} from '../../model/settle-draft.ts';
import { done } from '../../model/undo.ts';
import { toast } from '../../parts/toasts.tsx';
import { texts } from '../../texts.ts';
import { leaveBy } from './focus.ts';

export interface EditorOptions {
  readonly project: string;
  readonly definition: Definition;
  /** The id of the record, or `new`. */
  readonly id: string;
  readonly onGo: (id: string) => void;
  readonly onSaved: (record: AnyRecord) => void;
  readonly onRemoved: (id: string) => void;
}

export interface PanelProps extends EditorOptions {
  readonly all: readonly Definition[];
  readonly previous: string | undefined;
  readonly next: string | undefined;
  readonly onClose: () => void;
}

export interface EditorControl {
  /** The version that editing began with; null for a new record. */
  readonly base: AnyRecord | null;
  /** The values without changes: those of `base`, or the defaults of a new record. */
  readonly start: Values;
  readonly changes: Values;
  /** The text of the JSON view while it does not parse. */
  readonly unreadable: string | undefined;
  /** Increases when all changes are replaced, so that the JSON view starts over. */
  readonly round: number;
  /** When the draft that editing began with was last changed, until it is saved or nothing is left of it. */
  readonly keptAt: string | undefined;
  readonly error: unknown;
  readonly busy: boolean;
  /** The version that somebody else has saved meanwhile, while the conflict is unresolved. */
  readonly theirs: AnyRecord | undefined;
  /** `undefined` reverts the change of a field. */
  change(name: string, value: Values[string] | undefined): void;
  /** Takes the values of the JSON view; `changes` is undefined if the text does not parse. */
  read(text: string, changes: Values | undefined): void;
  /** Can be undone, because its button is next to the one that saves. */
  discard(): void;
  save(): Promise<void>;
  /** Saves these values on top of `theirs`. */
  resolve(values: Values): void;
  takeTheirs(): void;
  closeConflict(): void;
  /** Whether there is a draft of a new record, which a duplicate would replace. */
  hasNewDraft(): boolean;
  duplicate(): void;
  /** Drops the draft of a record that is about to be deleted. */
  forget(): void;
}

/** Editing one record: changes are a draft until they are saved, based on the version that editing began with. */
export function useEditor(loaded: AnyRecord | null, options: EditorOptions): EditorControl {
  const { project, definition, id, onGo, onSaved, onRemoved } = options;
  const key = draftKey(project, definition.id, id);
  const [kept] = useState(() => readDraft(key));
  // A draft keeps the version it is based on: if that is outdated, saving shows the conflict.
  const [base, setBase] = useState<AnyRecord | null>(() =>
    // The base of a draft that began in the list has only the list's columns.
    kept?.base && loaded ? { ...loaded, ...kept.base } : loaded,
  );
  const [changes, setChanges] = useState<Values>(kept?.values ?? {});
  // Callbacks that run after a request need the current values, not those of the render that started it.
  const latest = useRef({ base, values: changes });
  latest.current = { base, values: changes };
  const [unreadable, setUnreadable] = useState(kept?.text);
  const typed = useRef(unreadable);
  const [round, setRound] = useState(0);
  const startOver = () => setRound((before) => before + 1);
  const [keptAt, setKeptAt] = useState(kept?.at);
  const isBlank = Object.keys(changes).length === 0 && unreadable === undefined;
  useEffect(() => {
    if (isBlank) setKeptAt(undefined);
  }, [isBlank]);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [theirs, setTheirs] = useState<AnyRecord>();
  const records = recordsOf(project, definition.id);
  const start: Values = base ?? blankValues(definition);
  useEffect(
    () => () => {
      const left = readDraft(key);
      if (left && left.at !== kept?.at) toast({ text: texts.drafts.kept });
    },
    [key],
  );
  const show = (record: AnyRecord, values: Values) => {
    setBase(record);
    setTheirs(undefined);
    setKeptAt(undefined);
    setChanges(values);
  };
  const restore = (values: Values, text: string | undefined) => {
    const { base: against, values: since } = latest.current;
    update({ ...values, ...since }, against, typed.current ?? text);
    startOver();
  };
  useEffect(() => whileOpen(key, { now: () => latest.current, show, restore }), [key]);
  /** Whether this editor is still mounted. */
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  /** A ref, because `busy` changes only with the next render: a slow page may handle another key before that. */
  const isUnderWay = useRef(false);
  /** The record is about to be deleted: no draft must be stored for it any more. */
  const isForgotten = useRef(false);

  const update = (values: Values, against = base, text?: string) => {
    setChanges(values);
    latest.current = { base: against, values };
    setUnreadable(text);
    typed.current = text;
    keepDraft(key, against, values, text);
  };
  const begin = (record: AnyRecord) => {
    show(record, {});
    setUnreadable(undefined);
    typed.current = undefined;
    keepDraft(key, record, {});
    onSaved(record);
  };
  /** After these values were saved: what was typed meanwhile becomes a draft based on the saved version. */
  const settle = (against: AnyRecord, values: Values, saved: AnyRecord) => {
    if (!isForgotten.current) settleDraft(key, { base: against, values }, saved);
    onSaved(saved);
  };
  const create = async (values: Values) => {
    const made = (await records.create(values)) as AnyRecord;
    const { values: now } = latest.current;
    replaceDraft(key, now, { base: null, values: {} });
    const since = typedSince(start, values, now);
    keepDraft(draftKey(project, definition.id, made._id), made, since, typed.current);
    onSaved(made);
    if (isOpen.current) {
      leaveBy('created', made._id);
      onGo(made._id);
    }
    done(texts.record.created(labelOf(definition, made)), async () => {
      await records.delete(made._id);
      writeDraft(draftKey(project, definition.id, made._id), undefined);
      onRemoved(made._id);
    });
  };
  const saveOver = async (against: AnyRecord, values: Values) => {
    const saved = (await records.update(against._id, values, { ifUnchanged: against })) as AnyRecord;
    settle(against, values, saved);
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, against[name] ?? null]));
    done(texts.record.saved(labelOf(definition, saved)), async () => {
      settle(saved, {}, (await records.update(saved._id, before, { ifUnchanged: saved })) as AnyRecord);
    });
  };
  const showTheirs = async (record: string) => {
    try {
      setTheirs((await records.view(record)) as AnyRecord);
    } catch (caught) {
      setError(isStatus(caught, 404) ? new Error(texts.record.gone) : caught);
    }
  };
  const submit = async (against: AnyRecord | null, values: Values) => {
    if (isUnderWay.current || (against && Object.keys(values).length === 0)) return;
    isUnderWay.current = true;
    setBusy(true);
    setError(undefined);
    try {
      if (against) await saveOver(against, values);
      else await create(values);
    } catch (caught) {
      if (isStatus(caught, 412) && against) await showTheirs(against._id);
      else setError(caught);
    }
    isUnderWay.current = false;
    setBusy(false);
  };

  return {
    base,
    start,
    changes,
    unreadable,
    round,
    keptAt,
    error,
    busy,
    theirs,
    change(name, value) {
      const { [name]: _, ...others } = latest.current.values;
      update(value === undefined ? others : { ...others, [name]: value });
    },
    read: (text, values) => update(values ?? latest.current.values, base, values ? undefined : text),
    discard() {
      const dropped = { ...latest.current, text: typed.current };
      update({});
      startOver();
      const what = base ? texts.record.discarded(labelOf(definition, base)) : texts.record.discardedNew;
      done(what, async () => restoreDraft(key, dropped));
    },
    // From the refs, because the same key event may just have changed the values, or made the JSON invalid.
    async save() {
      if (typed.current === undefined) await submit(latest.current.base, latest.current.values);
    },
    resolve(values) {
      if (!theirs) return;
      setBase(theirs);
      setTheirs(undefined);
      update(values, theirs);
      if (Object.keys(values).length === 0) begin(theirs);
      else void submit(theirs, values);
    },
    takeTheirs() {
      if (!theirs) return;
      begin(theirs);
      startOver();
    },
    closeConflict: () => setTheirs(undefined),
    hasNewDraft: () => readDraft(draftKey(project, definition.id, 'new')) !== undefined,
    duplicate() {
      const copied = fieldsOf(definition).filter(({ unique }) => !unique);
      const values = Object.fromEntries(copied.map(({ name }) => [name, shownValue(name, start, changes)]));
      keepDraft(draftKey(project, definition.id, 'new'), null, values);
      onGo('new');
    },
    forget() {
      isForgotten.current = true;
      writeDraft(key, undefined);
    },
  };
}
