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
  /** The record has another value now. It is as it was when this began, or newer. */
  readonly onEdit: (record: AnyRecord, value: Json) => void;
  readonly onDone: (by: 'Tab' | 'Shift+Tab' | 'Enter' | 'Escape' | 'leaving') => void;
}

/** A value edited in its cell. Nothing is sent: it joins the changes that wait to be saved. Escape leaves it as it was. */
export function CellEditor({ project, all, field, record, value, onEdit, onDone }: CellEditorProps) {
  // What others make of it meanwhile is not what is edited here.
  const [begun] = useState({ record, value });
  const [now, setNow] = useState(value);
  // A control may add what was typed by the very key or click that ends it.
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
    // Where this field is as it was shown, what was saved meanwhile is no conflict.
    const shown = [begun.value, begun.record[field.name]];
    const base = shown.some((one) => sameValue(one, record[field.name])) ? record : begun.record;
    if (by !== 'Escape' && !sameValue(current, begun.value)) onEdit(base, current ?? null);
    onDone(by);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // It is saved with all others, by whoever has them.
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
