import { useEffect, useRef, useState } from 'preact/hooks';
import { faultsOf, messageOf } from '../../api.ts';
import { type AnyRecord, fieldsOf } from '../../model/fields.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts.ts';
import { Conflict } from './conflict.tsx';
import { DeleteRecord } from './delete-record.tsx';
import { EditorHead } from './editor-head.tsx';
import { JsonView } from './json-view.tsx';
import { RecordForm } from './record-form.tsx';
import { type PanelProps, useEditor } from './use-editor.ts';

/** A record as a form or as JSON, with what is not saved yet and the buttons for it. */
export function Editor(props: PanelProps & { readonly loaded: AnyRecord | null }) {
  const { project, definition, all, onClose } = props;
  const editor = useEditor(props.loaded, props);
  const { base, changes, error, theirs } = editor;
  const [view, setView] = useState<'form' | 'json'>('form');
  const [deleting, setDeleting] = useState(false);
  const [unreadable, setUnreadable] = useState(false);
  const [replacing, setReplacing] = useState(false);
  const [discarded, setDiscarded] = useState(0);
  const body = useRef<HTMLDivElement>(null);
  const changed = Object.keys(changes).length;
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
      void editor.save();
    } else if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]'))
      onClose();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for what is inside, all of which has buttons too
    <div class="panel-inner" onKeyDown={onKeyDown}>
      <EditorHead
        {...props}
        editor={editor}
        view={view}
        onView={setView}
        onDuplicate={() => (editor.hasNewDraft() ? setReplacing(true) : editor.duplicate())}
        onDelete={() => setDeleting(true)}
      />
      <div class="panel-body" ref={body}>
        {editor.keptAt !== undefined && changed > 0 && (
          <p class="note warn draft-note">
            {texts.record.draftFrom} <Time at={editor.keptAt} precise />
          </p>
        )}
        {elsewhere && <ErrorNote message={messageOf(error)} />}
        unreadable={unreadable}
        {view === 'form' ? (
          <RecordForm
            {...{ project, definition, all, changes, faults }}
            base={editor.start}
            onChange={editor.change}
          />
        ) : (
          <JsonView
            key={discarded}
            definition={definition}
            base={editor.start}
            changes={changes}
            onChanges={editor.changeAll}
          />
        )}
      </div>
      <footer class="panel-foot">
        <span class="grow quiet" aria-live="polite">
          {footText(changed, unreadable, base !== null)}
        </span>
        {(changed > 0 || unreadable) && (
          <Button
            onClick={() => {
              editor.changeAll({});
            onUnreadable={setUnreadable}
              setDiscarded(discarded + 1);
            }}
          >
            {texts.record.discard}
          </Button>
        )}
        <Button
          kind="primary"
          busy={editor.busy}
          disabled={unreadable || (base !== null && changed === 0)}
          onClick={() => void editor.save()}
        >
          {base ? texts.save : texts.create}
        </Button>
      </footer>
      {theirs && base && (
        <Conflict
          {...{ project, definition, all, base, theirs }}
          mine={changes}
          onClose={editor.closeConflict}
          onTheirs={editor.takeTheirs}
          onSave={editor.resolve}
        />
      )}
      {replacing && (
        <Confirm
          title={texts.record.replaceTitle}
          action={texts.record.replace}
          onConfirm={async () => editor.duplicate()}
          onClose={() => setReplacing(false)}
        >
          {texts.record.replaceText}
        </Confirm>
      )}
      {deleting && base && (
        <DeleteRecord
          {...{ project, definition, all }}
          record={base}
          onClose={() => setDeleting(false)}
          onDelete={() => {
            editor.forget();
            onClose();
          }}
          onDeleted={() => props.onRemoved(base._id)}
        />
      )}
    </div>
  );
}

function footText(changed: number, unreadable: boolean, isThere: boolean): string {
  if (unreadable) return texts.json.unreadable;
  if (changed > 0) return texts.record.changes(changed);
  return isThere ? texts.record.noChanges : '';
}
