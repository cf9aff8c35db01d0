import { ChevronDown, ChevronUp, Copy, CopyPlus, Ellipsis, Trash2, X } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { faultsOf, isStatus, messageOf, recordsOf } from '../../api.ts';
import { draftKey, readDraft, writeDraft } from '../../model/drafts.ts';
import { type AnyRecord, emptyValue, fieldsOf, type Values } from '../../model/fields.ts';
import { labelOf } from '../../model/labels.ts';
import { done } from '../../model/undo.ts';
import { Button } from '../../parts/button.tsx';
import { copyText } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ErrorNote, Skeleton } from '../../parts/notes.tsx';
import { Time } from '../../parts/time.tsx';
import { useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';
import { viewerKey } from '../../viewer.ts';
import { Conflict } from './conflict.tsx';
import { DeleteRecord } from './delete-record.tsx';
import { JsonView } from './json-view.tsx';
import { RecordForm } from './record-form.tsx';

interface PanelProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  /** Of the record, or `new`. */
  readonly id: string;
  readonly previous: string | undefined;
  readonly next: string | undefined;
  readonly onGo: (id: string) => void;
  readonly onClose: () => void;
  readonly onSaved: (record: AnyRecord) => void;
  readonly onRemoved: (id: string) => void;
}

/** One record, beside the list it was opened from. */
export function RecordPanel(props: PanelProps) {
  const { project, definition, id, onClose } = props;
  const isNew = id === 'new';
  const record = useQuery({
    key: ['project', project, 'record', definition.id, id, viewerKey(project)],
    load: (signal) => recordsOf(project, definition.id).view(id, { signal }) as Promise<AnyRecord>,
    enabled: !isNew,
    fresh: 0,
  });
  const [base, setBase] = useState<AnyRecord>();
  // What comes later (another one's change) is met when it is saved; the form does not change under the hands.
  useEffect(() => {
    if (record.data && !record.isFetching && base === undefined) setBase(record.data);
  }, [record.data, record.isFetching]);
  return (
    <aside class="panel" aria-label={texts.record.panel}>
      {isNew ? (
        <Editor {...props} base={null} />
      ) : base ? (
        <Editor key={base._id} {...props} base={base} />
      ) : (
        <div class="panel-body">
          <div class="row">
            <span class="grow" />
            <Button kind="quiet" icon={X} label={texts.close} onClick={onClose} />
          </div>
          {record.error ? (
            <ErrorNote
              message={isStatus(record.error, 404) ? texts.record.gone : messageOf(record.error)}
              onRetry={() => void record.refetch()}
            />
          ) : (
            <Skeleton lines={8} />
          )}
        </div>
      )}
    </aside>
  );
}

/** What a record begins with that is not there yet. */
export function blankValues(definition: Definition): Values {
  return Object.fromEntries(
    fieldsOf(definition).map((field) => [field.name, field.default ?? emptyValue(field)]),
  );
}

function Editor(props: PanelProps & { readonly base: AnyRecord | null }) {
  const { project, definition, all, id, previous, next, onGo, onClose, onSaved } = props;
  const key = draftKey(project, definition.id, id);
  const [kept] = useState(() => readDraft(key));
  // A draft goes on from the version it began with: what was changed since is told when it is saved.
  const [base, setBase] = useState<AnyRecord | null>(() =>
    // One that began in the list has read only its columns.
    kept?.base && props.base ? { ...props.base, ...kept.base } : props.base,
  );
  const [changes, setChanges] = useState<Values>(kept?.values ?? {});
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [view, setView] = useState<'form' | 'json'>('form');
  const [theirs, setTheirs] = useState<AnyRecord>();
  const [deleting, setDeleting] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const records = recordsOf(project, definition.id);
  const isNew = base === null;
  const start: Values = base ?? blankValues(definition);
  const changed = Object.keys(changes).length;

  const update = (nextChanges: Values, nextBase = base) => {
    setChanges(nextChanges);
    const empty = Object.keys(nextChanges).length === 0;
    writeDraft(
      key,
      empty ? undefined : { base: nextBase, values: nextChanges, at: new Date().toISOString() },
    );
  };
  const change = (name: string, value: Values[string] | undefined) => {
    const { [name]: _, ...others } = changes;
    update(value === undefined ? others : { ...others, [name]: value });
  };
  const begin = (record: AnyRecord) => {
    setBase(record);
    setTheirs(undefined);
    update({}, record);
    onSaved(record);
  };

  const create = async () => {
    const made = (await records.create(changes)) as AnyRecord;
    writeDraft(key, undefined);
    onSaved(made);
    onGo(made._id);
    done(texts.record.created(labelOf(definition, made)), async () => {
      await records.delete(made._id);
      props.onRemoved(made._id);
    });
  };
  const save = async (against: AnyRecord, values: Values) => {
    const saved = (await records.update(against._id, values, { ifUnchanged: against })) as AnyRecord;
    begin(saved);
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, against[name] ?? null]));
    done(texts.record.saved(labelOf(definition, saved)), async () => {
      const back = (await records.update(saved._id, before, { ifUnchanged: saved })) as AnyRecord;
      begin(back);
    });
  };
  const submit = async (against = base, values = changes) => {
    if (busy || (!isNew && Object.keys(values).length === 0)) return;
    setBusy(true);
    setError(undefined);
    try {
      if (against) await save(against, values);
      else await create();
    } catch (caught) {
      if (isStatus(caught, 412) && against) {
        const now = await records.view(against._id).catch(() => undefined);
        if (now) setTheirs(now as AnyRecord);
        else setError(new Error(texts.record.gone));
      } else setError(caught);
    }
    setBusy(false);
  };

  const faults = faultsOf(error);
  useEffect(() => {
    body.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  const names = new Set(fieldsOf(definition).map((field) => field.name));
  const elsewhere =
    error !== undefined && !Object.keys(faults).some((at) => names.has(at.replace(/\[.*/, '')));
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
      event.preventDefault();
      void submit();
    } else if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]'))
      onClose();
  };
  const duplicate = () => {
    const copy = Object.fromEntries(
      fieldsOf(definition)
        .filter(({ unique }) => !unique)
        .map(({ name }) => [name, changes[name] ?? start[name] ?? null]),
    );
    writeDraft(draftKey(project, definition.id, 'new'), {
      base: null,
      values: copy,
      at: new Date().toISOString(),
    });
    onGo('new');
  };
  const title = isNew ? texts.record.new : labelOf(definition, { ...base, ...changes } as AnyRecord);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for what is inside, all of which has buttons too
    <div class="panel-inner" onKeyDown={onKeyDown}>
      <header class="panel-head">
        <h2 class="cut grow" title={title}>
          {title}
        </h2>
        <Button
          kind="quiet"
          icon={ChevronUp}
          label={texts.record.previous}
          disabled={previous === undefined}
          onClick={() => previous !== undefined && onGo(previous)}
        />
        <Button
          kind="quiet"
          icon={ChevronDown}
          label={texts.record.next}
          disabled={next === undefined}
          onClick={() => next !== undefined && onGo(next)}
        />
        {base && (
          <Menu
            label={texts.more}
            icon={Ellipsis}
            items={[
              { label: texts.record.duplicate, icon: CopyPlus, run: duplicate },
              { label: texts.record.copyId, icon: Copy, run: () => copyText(base._id) },
              {
                label: texts.record.copyJson,
                icon: Copy,
                run: () => copyText(JSON.stringify(base, null, 2)),
              },
              'line',
              { label: texts.remove, icon: Trash2, danger: true, run: () => setDeleting(true) },
            ]}
          />
        )}
        <Button kind="quiet" icon={X} label={texts.close} onClick={onClose} />
      </header>
      <div class="panel-tabs" role="tablist" aria-label={texts.record.views}>
        {(['form', 'json'] as const).map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            aria-selected={view === one}
            onClick={() => setView(one)}
          >
            {texts.record[one]}
          </button>
        ))}
        {base && (
          <span class="quiet panel-times">
            {texts.record.changedAt} <Time at={base._updatedAt} precise />
          </span>
        )}
      </div>
      <div class="panel-body" ref={body}>
        {kept && changed > 0 && (
          <p class="note warn draft-note">
            {texts.record.draftFrom} <Time at={kept.at} precise />
          </p>
        )}
        {elsewhere && <ErrorNote message={messageOf(error)} />}
        {view === 'form' ? (
          <RecordForm
            project={project}
            definition={definition}
            all={all}
            base={start}
            changes={changes}
            faults={faults}
            onChange={change}
          />
        ) : (
          <JsonView definition={definition} base={start} changes={changes} onChanges={update} />
        )}
      </div>
      <footer class="panel-foot">
        <span class="grow quiet" aria-live="polite">
          {changed > 0 ? texts.record.changes(changed) : isNew ? '' : texts.record.noChanges}
        </span>
        {changed > 0 && <Button onClick={() => update({})}>{texts.record.discard}</Button>}
        <Button kind="primary" busy={busy} disabled={!isNew && changed === 0} onClick={() => void submit()}>
          {isNew ? texts.create : texts.save}
        </Button>
      </footer>
      {theirs && base && (
        <Conflict
          {...{ project, definition, all, base, theirs }}
          mine={changes}
          onClose={() => setTheirs(undefined)}
          onTheirs={() => begin(theirs)}
          onSave={(values) => {
            setBase(theirs);
            setTheirs(undefined);
            update(values, theirs);
            if (Object.keys(values).length === 0) begin(theirs);
            else void submit(theirs, values);
          }}
        />
      )}
      {deleting && base && (
        <DeleteRecord
          {...{ project, definition, all }}
          record={base}
          onClose={() => setDeleting(false)}
          onDelete={() => {
            writeDraft(key, undefined);
            onClose();
          }}
          onDeleted={() => props.onRemoved(base._id)}
        />
      )}
    </div>
  );
}
