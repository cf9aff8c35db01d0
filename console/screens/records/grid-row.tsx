import { PencilLine } from 'lucide';
import type { Definition } from '../../../client/admin.ts';
import { type AnyRecord, labelOfField } from '../../model/fields.ts';
import { labelOf } from '../../model/labels.ts';
import { Icon } from '../../parts/icon.tsx';
import { Value } from '../../parts/value.tsx';
import { texts } from '../../texts.ts';
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
  readonly hasDraft: boolean;
  readonly onOpen: () => void;
  readonly onSelect: (range: boolean) => void;
}

export function GridRow(props: RowProps) {
  const { id, index, record, selected, active, opened, hasDraft, onOpen, onSelect } = props;
  const name = labelOf(props.definition, record);
  const marks = `${selected ? ' selected' : ''}${active ? ' active' : ''}${opened ? ' opened' : ''}`;
  const onClick = (event: MouseEvent) => {
    if ((event.target as Element).closest('a, input, label')) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey) onSelect(event.shiftKey);
    else if (getSelection()?.isCollapsed !== false) onOpen();
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
        {hasDraft && (
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

function Cells({ columns, offsets, project, all, record }: RowProps) {
  return (
    <>
      {columns.map(({ field, pinned }, at) => (
        <div
          key={field.name}
          class={`grid-cell of-${field.type}${pinned ? ' pinned' : ''}`}
          role="gridcell"
          style={pinned ? { left: `${offsets[at]}px` } : undefined}
        >
          <Value project={project} all={all} field={field} value={record[field.name]} />
        </div>
      ))}
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
