import { ArrowDown, ArrowUp, ChevronDown, EyeOff, Filter, MoveLeft, MoveRight, Pin, Ruler } from 'lucide';
import type { Definition } from '../../../client/admin.ts';
import { isSortable, labelOfField, type NamedField } from '../../model/fields.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { texts } from '../../texts.ts';
import { type PlacedColumn, placeOf } from './column-range.ts';
import { type Column, limitWidth } from './columns.ts';
import type { SelectionControl } from './selection.ts';

export interface HeadProps {
  readonly definition: Definition;
  readonly columns: readonly Column[];
  /** The columns that are rendered. */
  readonly shown: readonly PlacedColumn[];
  readonly sort: readonly string[];
  readonly rows: readonly { readonly _id: string }[];
  readonly control: SelectionControl;
  readonly onSort: (sort: readonly string[]) => void;
  readonly onFilter: (field: NamedField) => void;
  readonly onColumns: (columns: readonly Column[]) => void;
}

export function GridHead(props: HeadProps) {
  const { columns, shown, rows, control } = props;
  const every = rows.length > 0 && rows.every(({ _id }) => control.has(_id));
  return (
    <div class="grid-head" role="rowgroup">
      <div class="grid-row head" role="row" aria-rowindex={1}>
        <div class="grid-cell check-cell" role="columnheader">
          <label class="hit">
            <input
              type="checkbox"
              aria-label={texts.list.selectLoaded}
              checked={every}
              onChange={() => control.toggleLoaded()}
            />
          </label>
        </div>
        {shown.map((placed) => {
          const column = columns[placed.at];
          return (
            column && (
              <HeadCell key={placed.field.name} {...props} column={column} placed={placed} at={placed.at} />
            )
          );
        })}
      </div>
    </div>
  );
}

/** Cycles through ascending, descending and unsorted; with `add`, the other sort columns are kept. */
function nextSort(sort: readonly string[], name: string, add: boolean): string[] {
  const others = add ? sort.filter((one) => one.replace(/^-/, '') !== name) : [];
  if (sort.includes(name)) return [...others, `-${name}`];
  if (sort.includes(`-${name}`)) return others;
  return [...others, name];
}

interface CellProps extends HeadProps {
  readonly column: Column;
  readonly placed: PlacedColumn;
  readonly at: number;
}

function HeadCell(props: CellProps) {
  const { column, placed, sort, onSort } = props;
  const { field, pinned } = column;
  const label = labelOfField(field);
  const direction = sort.includes(field.name)
    ? 'ascending'
    : sort.includes(`-${field.name}`)
      ? 'descending'
      : 'none';
  const sortable = isSortable(field);
  return (
    <div
      class={`grid-cell of-${field.type}${pinned ? ' pinned' : ''}`}
      role="columnheader"
      aria-sort={sortable ? direction : undefined}
      aria-colindex={placed.at + 2}
      style={placeOf(placed)}
    >
      {sortable ? (
        <button
          type="button"
          class="head-sort cut"
          title={texts.list.sortHint}
          onClick={(event) => onSort(nextSort(sort, field.name, event.shiftKey))}
        >
          <span class="cut">{label}</span>
          {direction !== 'none' && <Icon icon={direction === 'ascending' ? ArrowUp : ArrowDown} size={12} />}
        </button>
      ) : (
        <span class="head-sort cut">{label}</span>
      )}
      <Menu
        label={texts.list.columnMenu(label)}
        icon={ChevronDown}
        class="head-menu"
        items={columnItems(props)}
      />
      <Resizer {...props} />
    </div>
  );
}

function columnItems({
  column,
  columns,
  at,
  onColumns,
  onSort,
  onFilter,
}: HeadProps & { column: Column; at: number }) {
  const { field, pinned, width } = column;
  const change = (next: Partial<Column>) => onColumns(columns.with(at, { ...column, ...next }));
  const shift = (by: number) => {
    const next = [...columns];
    next.splice(at, 1);
    next.splice(at + by, 0, column);
    onColumns(next);
  };
  const sorting: MenuItem[] = isSortable(field)
    ? [
        { label: texts.list.sortUp, icon: ArrowUp, run: () => onSort([field.name]) },
        { label: texts.list.sortDown, icon: ArrowDown, run: () => onSort([`-${field.name}`]) },
      ]
    : [];
  return [
    ...sorting,
    { label: texts.list.filterBy, icon: Filter, run: () => onFilter(field) },
    'line' as const,
    { label: texts.list.pin, icon: Pin, checked: pinned, run: () => change({ pinned: !pinned }) },
    { label: texts.list.moveLeft, icon: MoveLeft, disabled: at === 0, run: () => shift(-1) },
    {
      label: texts.list.moveRight,
      icon: MoveRight,
      disabled: at === columns.length - 1,
      run: () => shift(1),
    },
    { label: texts.list.wider, icon: Ruler, run: () => change({ width: limitWidth(width * 1.25) }) },
    { label: texts.list.narrower, icon: Ruler, run: () => change({ width: limitWidth(width * 0.8) }) },
    {
      label: texts.list.hide,
      icon: EyeOff,
      disabled: columns.length === 1,
      run: () => onColumns(columns.filter((one) => one !== column)),
    },
  ];
}

/** Resizes a column with the pointer; the column's menu does the same for the keyboard. */
function Resizer({ column, columns, at, onColumns }: HeadProps & { column: Column; at: number }) {
  const start = (down: PointerEvent) => {
    down.preventDefault();
    const handle = down.currentTarget as HTMLElement;
    handle.setPointerCapture(down.pointerId);
    const move = (event: PointerEvent) => {
      onColumns(
        columns.with(at, { ...column, width: limitWidth(column.width + event.clientX - down.clientX) }),
      );
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('pointerup', () => handle.removeEventListener('pointermove', move), {
      once: true,
    });
  };
  return <span class="resizer" aria-hidden="true" onPointerDown={start} />;
}
