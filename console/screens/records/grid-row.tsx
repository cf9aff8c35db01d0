import { PencilLine } from 'lucide';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import type { Draft } from '../../model/drafts.ts';
import { type AnyRecord, labelOfField, type NamedField } from '../../model/fields.ts';
import { labelOf } from '../../model/labels.ts';
import { Icon } from '../../parts/icon.tsx';
import { Value } from '../../parts/value.tsx';
import { texts } from '../../texts.ts';
import { CellEditor } from './cell-editor.tsx';
import type { Column } from './columns.ts';

interface RowProps {
  readonly id: string;
  readonly index: number;
  readonly record: AnyRecord;
  readonly top: number;
  readonly height: number;
  readonly phone: boolean;
  readonly columns: readonly Column[];
  readonly offsets: readonly number[];
  readonly project: string;
  readonly all: readonly Definition[];
  readonly definition: Definition;
  readonly selected: boolean;
  readonly active: boolean;
  readonly opened: boolean;
  readonly draft: Draft | undefined;
  /** A cell was edited in its place; there where that is possible. */
  readonly onEdit: ((field: NamedField, value: Json) => void) | undefined;
  /** Another number begins to edit the first cell. */
  readonly begin: number;
  /** Editing is over; `back`: the keys are the grid's again. */
  readonly onLeave: (back: boolean) => void;
  readonly onOpen: () => void;
  readonly onSelect: (range: boolean) => void;
}

export function GridRow(props: RowProps) {
  const { id, index, record, selected, active, opened, draft, onOpen, onSelect } = props;
  const name = labelOf(props.definition, record);
  const marks = `${selected ? ' selected' : ''}${active ? ' active' : ''}${opened ? ' opened' : ''}`;
  const onClick = (event: MouseEvent) => {
    if ((event.target as Element).closest('a, input, label, .cell-editor')) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey) onSelect(event.shiftKey);
    // Whoever marks text wants to copy it.
    else if (!props.onEdit && getSelection()?.isCollapsed !== false) onOpen();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys, its rows are not focused one by one
    <div
      id={id}
      class={`grid-row${marks}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      style={{ transform: `translateY(${props.top}px)`, height: `${props.height}px` }}
      onClick={onClick}
    >
      <div class="grid-cell check-cell" role="gridcell">
        <label class="hit">
          <input
            type="checkbox"
            tabIndex={-1}
            checked={selected}
            aria-label={texts.list.selectRecord(name)}
            onClick={(event) => onSelect(event.shiftKey)}
          />
        </label>
        {draft && (
          <span class="draft-mark" title={texts.list.hasDraft}>
            <Icon icon={PencilLine} size={12} />
            <span class="visually-hidden">{texts.list.hasDraft}</span>
          </span>
        )}
      </div>
      {props.phone ? <CardCell {...props} name={name} /> : <Cells {...props} />}
    </div>
  );
}

const isEditable = ({ field }: Column) => !field.name.startsWith('_');

function Cells({ columns, offsets, project, all, record, draft, onEdit, begin, onLeave }: RowProps) {
  const [editing, setEditing] = useState<string>();
  const editable = columns.filter(isEditable).map(({ field }) => field.name);
  useLayoutEffect(() => {
    if (begin > 0) setEditing(editable[0]);
  }, [begin]);
  const goOn = (from: string, by: string) => {
    const next = by === 'Tab' ? editable[editable.indexOf(from) + 1] : editable[editable.indexOf(from) - 1];
    setEditing(by.endsWith('Tab') ? next : undefined);
    if (!(by.endsWith('Tab') && next)) onLeave(by !== 'leaving');
  };
  return (
    <>
      {columns.map(({ field, pinned }, at) => {
        const changed = draft !== undefined && field.name in draft.values;
        const value = changed ? draft.values[field.name] : record[field.name];
        const isOpen = editing === field.name;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the grid does the same
          <div
            key={field.name}
            class={`grid-cell of-${field.type}${pinned ? ' pinned' : ''}${changed ? ' changed' : ''}${isOpen ? ' editing' : ''}`}
            role="gridcell"
            style={pinned ? { left: `${offsets[at]}px` } : undefined}
            onClick={() => onEdit && !field.name.startsWith('_') && setEditing(field.name)}
          >
            {isOpen ? (
              <CellEditor
                {...{ project, all, field, value }}
                onDone={(next, by) => {
                  if (next !== undefined) onEdit?.(field, next);
                  goOn(field.name, by);
                }}
              />
            ) : (
              <Value project={project} all={all} field={field} value={value} />
            )}
          </div>
        );
      })}
    </>
  );
}

const mostInCard = 3;

function CardCell({ columns, project, all, record, name }: RowProps & { name: string }) {
  const shown = columns.filter(({ field }) => record[field.name] !== name).slice(0, mostInCard);
  return (
    <div class="grid-cell card-cell" role="gridcell">
      <strong class="cut">{name}</strong>
      <span class="cut quiet">
        {shown.map(({ field }, at) => (
          <span key={field.name}>
            {at > 0 && ' · '}
            <span class="visually-hidden">{labelOfField(field)}: </span>
            <Value project={project} all={all} field={field} value={record[field.name]} />
          </span>
        ))}
      </span>
    </div>
  );
}
