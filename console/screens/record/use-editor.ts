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
  /** Of the record, or `new`. */
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
  /** As it was when editing began; null for one that is not there yet. */
  readonly base: AnyRecord | null;
  /** What a form begins with. */
  readonly start: Values;
  readonly changes: Values;
  /** The JSON that can't be read as it is typed so far. */
  readonly unreadable: string | undefined;
  /** Grows when all that was typed is another, so that the JSON begins anew. */
  readonly round: number;
  /** When the draft was left that this began with. */
  readonly keptAt: string | undefined;
  readonly error: unknown;
  readonly busy: boolean;
  /** As somebody else has made it meanwhile: then it is to be decided whose stays. */
  readonly theirs: AnyRecord | undefined;
  /** undefined takes the change of a field back. */
  change(name: string, value: Values[string] | undefined): void;
  /** What the JSON says, or with `undefined` that it can't be read. */
  read(text: string, changes: Values | undefined): void;
  /** Can be undone: it stands beside the button that saves. */
  discard(): void;
  save(): Promise<void>;
  /** On top of theirs. */
  resolve(values: Values): void;
  takeTheirs(): void;
  closeConflict(): void;
  /** Whether a new record was begun, whose place a duplicate takes. */
  hasNewDraft(): boolean;
  duplicate(): void;
  forget(): void;
}

/** Editing one record: what was changed is a draft until it is saved, against the version it began with. */
export function useEditor(loaded: AnyRecord | null, options: EditorOptions): EditorControl {
  const { project, definition, id, onGo, onSaved, onRemoved } = options;
  const key = draftKey(project, definition.id, id);
  const [kept] = useState(() => readDraft(key));
  // A draft goes on from the version it began with: what was changed since is shown when it is saved.
  const [base, setBase] = useState<AnyRecord | null>(() =>
    // One that began in the list has read only its columns.
    kept?.base && loaded ? { ...loaded, ...kept.base } : loaded,
  );
  const [changes, setChanges] = useState<Values>(kept?.values ?? {});
  // As they are when an answer comes, not as they were when it was asked for.
  const latest = useRef({ base, values: changes });
  latest.current = { base, values: changes };
  const [unreadable, setUnreadable] = useState(kept?.text);
  const typed = useRef(unreadable);
  const [round, setRound] = useState(0);
  const beginAnew = () => setRound((before) => before + 1);
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
    setChanges(values);
  };
  const restore = (values: Values, text: string | undefined) => {
    const { base: against, values: since } = latest.current;
    update({ ...values, ...since }, against, typed.current ?? text);
    beginAnew();
  };
  useEffect(() => whileOpen(key, { now: () => latest.current, show, restore }), [key]);
  /** Still the one that is looked at. */
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  /** What `busy` says is as old as what was drawn: a page that stalls takes the next key before it has drawn. */
  const isUnderWay = useRef(false);
  /** About to be deleted, with whatever was typed. */
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
  /** These values are saved: what was typed meanwhile goes on from there. */
  const goOn = (against: AnyRecord, values: Values, saved: AnyRecord) => {
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
    goOn(against, values, saved);
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, against[name] ?? null]));
    done(texts.record.saved(labelOf(definition, saved)), async () => {
      goOn(saved, {}, (await records.update(saved._id, before, { ifUnchanged: saved })) as AnyRecord);
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
    keptAt: kept?.at,
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
      beginAnew();
      const what = base ? texts.record.discarded(labelOf(definition, base)) : texts.record.discardedNew;
      done(what, async () => restoreDraft(key, dropped));
    },
    // Also what the very key that saves has added, or made unreadable.
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
      beginAnew();
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
