import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../../api.ts';
import { faultsOf, isElsewhere } from '../../faults.ts';
import type { AnyRecord } from '../../model/fields.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { isComposing, isFromEditedList, isShortcut } from '../../parts/keys.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts.ts';
import { Conflict } from './conflict.tsx';
import { DeleteRecord } from './delete-record.tsx';
import { EditorHead } from './editor-head.tsx';
import { JsonView } from './json-view.tsx';
import { RecordForm } from './record-form.tsx';
import { type PanelProps, useEditor } from './use-editor.ts';

/** A record as a form or as JSON, with its unsaved changes and the buttons to save or discard them. */
export function Editor(props: PanelProps & { readonly loaded: AnyRecord | null }) {
  const { project, definition, all, onClose } = props;
  const editor = useEditor(props.loaded, props);
  const { base, changes, error, theirs } = editor;
  const unreadable = editor.unreadable !== undefined;
  const [chosen, setView] = useState<'form' | 'json'>(unreadable ? 'json' : 'form');
  const view = unreadable ? 'json' : chosen;
  // An undo may bring such JSON back while the form is shown: it must not go back to the form as soon as the JSON parses.
  useEffect(() => {
    if (unreadable) setView('json');
  }, [unreadable]);
  const [deleting, setDeleting] = useState(false);
  const [replacing, setReplacing] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const changed = Object.keys(changes).length;
  const faults = faultsOf(error);
  // The JSON has no controls: all messages are shown above it.
  const places = view === 'form' ? Object.keys(definition.fields ?? {}) : [];
  useEffect(() => {
    body.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  // In a new record the first control gets the focus.
  useLayoutEffect(() => {
    if (props.loaded === null) body.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }, []);
  const root = useRef<HTMLDivElement>(null);
  // On the document, because a click beside a control moves the focus out of the panel.
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (!isShortcut(event, 's') || isFromEditedList(event)) return;
      const isInside = root.current?.contains(event.target as Node) === true;
      if (!isInside && document.querySelector('dialog[open]')) return;
      event.preventDefault();
      // A blank new record is saved only by a key inside the panel: elsewhere it is not what the user means.
      if (!event.repeat && (isInside || base !== null || changed > 0)) void editor.save();
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event)) return;
    if (!document.querySelector('dialog[open]')) onClose();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for what is inside, all of which has buttons too
    <div class="panel-inner" ref={root} onKeyDown={onKeyDown}>
      <EditorHead
        {...props}
        editor={editor}
        view={view}
        unreadable={unreadable}
        onView={setView}
        onDuplicate={() => (editor.hasNewDraft() ? setReplacing(true) : editor.duplicate())}
        onDelete={() => setDeleting(true)}
      />
      <div class="panel-body" ref={body}>
        {editor.keptAt !== undefined && (
          <p class="note warn draft-note">
            {texts.record.draftFrom} <Time at={editor.keptAt} precise />
          </p>
        )}
        {isElsewhere(error, places) && <ErrorNote message={messageOf(error)} />}
        {view === 'form' ? (
          <RecordForm
            {...{ project, definition, all, changes, faults }}
            base={editor.start}
            onChange={editor.change}
          />
        ) : (
          <JsonView
            key={editor.round}
            definition={definition}
            base={editor.start}
            changes={changes}
            unreadable={editor.unreadable}
            onRead={editor.read}
          />
        )}
      </div>
      <footer class="panel-foot">
        <span class="grow quiet" aria-live="polite">
          {footText(changed, unreadable, base !== null)}
        </span>
        {(changed > 0 || unreadable) && <Button onClick={editor.discard}>{texts.record.discard}</Button>}
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
