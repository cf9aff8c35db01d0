import { PencilLine } from 'lucide';
import { Component } from 'preact';
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
import { type PlacedColumn, placeOf } from './column-range.ts';
import type { Column } from './columns.ts';

export interface RowHandlers {
  open(index: number, id: string): void;
  /** `range`: selects all rows from the last selected one to this. */
  select(index: number, range: boolean): void;
  /** A cell was edited in place. */
  edit(record: AnyRecord, field: NamedField, value: Json): void;
  /** Editing has ended; `back`: the focus returns to the grid. */
  leave(back: boolean): void;
}

interface RowProps {
  readonly id: string;
  readonly index: number;
  readonly record: AnyRecord;
  readonly top: number;
  readonly height: number;
  readonly phone: boolean;
  readonly columns: readonly Column[];
  /** The columns that are rendered. */
  readonly shown: readonly PlacedColumn[];
  readonly project: string;
  readonly all: readonly Definition[];
  readonly definition: Definition;
  readonly selected: boolean;
  readonly active: boolean;
  readonly opened: boolean;
  readonly draft: Draft | undefined;
  /** Whether a click edits a cell in place. */
  readonly editable: boolean;
  /** Starts editing the first cell each time it changes to a number above 0. */
  readonly begin: number;
  readonly handlers: RowHandlers;
}

/** Renders only when one of its props has changed, so that scrolling is cheap. */
export class GridRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const keys = Object.keys(next) as (keyof RowProps)[];
    return keys.some((key) => next[key] !== this.props[key]);
  }

  override render() {
    return <Row {...this.props} />;
  }
}

function Row(props: RowProps) {
  const { id, index, record, selected, active, opened, draft, handlers } = props;
  const name = labelOf(props.definition, record);
  const marks = `${selected ? ' selected' : ''}${active ? ' active' : ''}${opened ? ' opened' : ''}`;
  const onClick = (event: MouseEvent) => {
    if ((event.target as Element).closest('a, input, label, .cell-editor')) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey) handlers.select(index, event.shiftKey);
    // The end of a text selection is no click: the text is meant to be copied.
    else if (!props.editable && getSelection()?.isCollapsed !== false) handlers.open(index, record._id);
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
            onClick={(event) => handlers.select(index, event.shiftKey)}
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

function Cells({
  columns,
  shown,
  project,
  all,
  record,
  draft,
  editable: mayEdit,
  begin,
  handlers,
}: RowProps) {
  const [editing, setEditing] = useState<string>();
  const editable = columns.filter(isEditable).map(({ field }) => field.name);
  useLayoutEffect(() => {
    if (begin > 0) setEditing(editable[0]);
  }, [begin]);
  const goOn = (from: string, by: string) => {
    const next = by === 'Tab' ? editable[editable.indexOf(from) + 1] : editable[editable.indexOf(from) - 1];
    setEditing(by.endsWith('Tab') ? next : undefined);
    if (!(by.endsWith('Tab') && next)) handlers.leave(by !== 'leaving');
  };
  return (
    <>
      {shown.map((column) => {
        const { field, pinned } = column;
        const changed = draft !== undefined && field.name in draft.values;
        const value = changed ? draft.values[field.name] : record[field.name];
        const isOpen = editing === field.name;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the grid does the same
          <div
            key={field.name}
            class={`grid-cell of-${field.type}${pinned ? ' pinned' : ''}${changed ? ' changed' : ''}${isOpen ? ' editing' : ''}`}
            role="gridcell"
            dir="auto"
            aria-colindex={column.at + 2}
            style={placeOf(column)}
            onClick={() => mayEdit && !field.name.startsWith('_') && setEditing(field.name)}
          >
            {isOpen ? (
              <CellEditor
                {...{ project, all, field, record, value }}
                onEdit={(begun, next) => handlers.edit(begun, field, next)}
                onDone={(by) => goOn(field.name, by)}
              />
            ) : (
              <Value project={project} all={all} field={field} value={value} inGrid />
            )}
          </div>
        );
      })}
    </>
  );
}

const mostInCard = 3;

const isEmpty = (value: Json | undefined) =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

function CardCell({ columns, project, all, record, name }: RowProps & { name: string }) {
  const shown = columns
    .filter(({ field: { name: field } }) => record[field] !== name && !isEmpty(record[field]))
    .slice(0, mostInCard);
  return (
    <div class="grid-cell card-cell" role="gridcell">
      <strong class="cut" dir="auto">
        {name}
      </strong>
      <span class="cut quiet">
        {shown.map(({ field }, at) => (
          <span key={field.name}>
            {at > 0 && ' · '}
            <span class="visually-hidden">{labelOfField(field)}: </span>
            <bdi>
              <Value project={project} all={all} field={field} value={record[field.name]} inGrid />
            </bdi>
          </span>
        ))}
      </span>
    </div>
  );
}
