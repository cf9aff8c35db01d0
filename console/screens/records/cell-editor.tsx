import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { Control } from '../../fields/control.tsx';
import { type AnyRecord, labelOfField, type NamedField, sameValue } from '../../model/fields.ts';
import { isComposing, isShortcut } from '../../parts/keys.ts';

interface CellEditorProps {
  readonly project: string;
  readonly all: readonly Definition[];
  readonly field: NamedField;
  readonly record: AnyRecord;
  readonly value: Json | undefined;
  /** Called with the new value, and the version of the record that it is based on. */
  readonly onEdit: (record: AnyRecord, value: Json) => void;
  readonly onDone: (by: 'Tab' | 'Shift+Tab' | 'Enter' | 'Escape' | 'leaving') => void;
}

/** Edits a value in its cell. Nothing is sent: the change becomes part of the record's draft. Escape cancels. */
export function CellEditor({ project, all, field, record, value, onEdit, onDone }: CellEditorProps) {
  // Live updates of the record must not change what is being edited.
  const [begun] = useState({ record, value });
  const [now, setNow] = useState(value);
  // A control may change the value in the same event that ends the editing, before the next render.
  const latest = useRef(value);
  const change = (next: Json) => {
    latest.current = next;
    setNow(next);
  };
  const root = useRef<HTMLDivElement>(null);
  const over = useRef(false);
  useLayoutEffect(() => {
    const input = root.current?.querySelector<HTMLInputElement>('input, select, textarea');
    input?.focus();
    if (input instanceof HTMLInputElement && input.type === 'text') input.select();
  }, []);
  const finish = (by: Parameters<CellEditorProps['onDone']>[0]) => {
    if (over.current) return;
    over.current = true;
    const { current } = latest;
    // If others changed only other fields meanwhile, the edit is based on the newer version, as there is no conflict.
    const shown = [begun.value, begun.record[field.name]];
    const base = shown.some((one) => sameValue(one, record[field.name])) ? record : begun.record;
    if (by !== 'Escape' && !sameValue(current, begun.value)) onEdit(base, current ?? null);
    onDone(by);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Bubbles up to the `DraftsBar`, which saves all drafts.
    if (isShortcut(event, 's')) return finish('Enter');
    event.stopPropagation();
    if (event.defaultPrevented || isComposing(event)) return;
    if (event.key === 'Escape') finish('Escape');
    else if (event.key === 'Enter' && (!(event.target instanceof HTMLTextAreaElement) || event.ctrlKey))
      finish('Enter');
    else if (event.key === 'Tab') finish(event.shiftKey ? 'Shift+Tab' : 'Tab');
    else return;
    event.preventDefault();
  };
  const leave = (event: FocusEvent) => {
    const into = event.relatedTarget as Node | null;
    if (!root.current?.contains(into) && !document.querySelector('dialog[open]')) finish('leaving');
  };
  const ids = { id: `cell-${field.name}`, 'aria-describedby': undefined, 'aria-invalid': undefined };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for the control inside
    <div
      class="cell-editor"
      ref={root}
      onKeyDown={onKeyDown}
      onFocusOut={leave}
      onClick={(event) => event.stopPropagation()}
    >
      <label class="visually-hidden" for={ids.id}>
        {labelOfField(field)}
      </label>
      <Control ids={ids} project={project} all={all} field={field} value={now} onChange={change} />
    </div>
  );
}
