import type { CSSProperties } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import type { Draft } from '../../model/drafts.ts';
import type { AnyRecord, NamedField } from '../../model/fields.ts';
import { usePhone } from '../../parts/use-media.ts';
import { useVirtual } from '../../parts/use-virtual.ts';
import { texts } from '../../texts.ts';
import { checkWidth, useColumnRange } from './column-range.ts';
import { GridHead, type HeadProps } from './grid-head.tsx';
import { GridRow, type RowHandlers } from './grid-row.tsx';
import type { SelectionControl } from './selection.ts';

interface GridProps extends Omit<HeadProps, 'shown'> {
  readonly project: string;
  readonly all: readonly Definition[];
  readonly rows: readonly AnyRecord[];
  readonly open: string | undefined;
  readonly drafts: ReadonlyMap<string, Draft>;
  /** Set if cells are edited in place. */
  readonly onEdit: ((record: AnyRecord, field: NamedField, value: Json) => void) | undefined;
  readonly more: boolean;
  readonly onMore: () => void;
  readonly onOpen: (id: string) => void;
  readonly onEscape: () => void;
  readonly control: SelectionControl;
}

/** Moves the focus into the form of the open record. */
const enterPanel = () =>
  document.querySelector<HTMLElement>('.panel-body :is(input, textarea, select):enabled')?.focus();

/** A virtualized list of records: arrow keys move, Space selects, Enter opens a record, or focuses its form if it is open. */
export function Grid(props: GridProps) {
  const { rows, columns, control, open, onOpen, onMore, more } = props;
  const phone = usePhone();
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const [active, setActive] = useState(0);
  const [begun, setBegun] = useState({ row: -1, times: 0 });
  const keyOf = (index: number) => rows[index]?._id ?? String(index);
  const { shown, width } = useColumnRange(scroller, columns);
  const latest = useRef(props);
  latest.current = props;
  // Must keep its identity, because a row renders again when one of its props changes.
  const handlers = useMemo<RowHandlers>(
    () => ({
      open(index, record) {
        setActive(index);
        latest.current.onOpen(record);
      },
      select(index, range) {
        setActive(index);
        latest.current.control.toggle(index, range);
      },
      edit: (record, field, value) => latest.current.onEdit?.(record, field, value),
      leave(back) {
        setBegun(({ times }) => ({ row: -1, times }));
        if (back) scroller.current?.focus();
      },
    }),
    [],
  );
  const virtual = useVirtual({ count: rows.length, size: phone ? 80 : 36, scroller, keyOf });
  const last = virtual.items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && last >= rows.length - 40) onMore();
  }, [more, last, rows.length]);

  // The active row follows the open record, and the grid gets the focus when that is closed.
  const opened = useRef(open);
  const isFilled = rows.length > 0;
  useEffect(() => {
    if (!isFilled) return setActive(0);
    const at = open === undefined ? -1 : rows.findIndex(({ _id }) => _id === open);
    if (at >= 0) {
      setActive(at);
      virtual.scrollTo(at);
    }
    const isClosed = opened.current !== undefined && open === undefined;
    if (isClosed && document.activeElement === document.body)
      scroller.current?.focus({ preventScroll: true });
    opened.current = open;
  }, [open, isFilled]);

  const move = (to: number, extend: boolean) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setActive(next);
    virtual.scrollTo(next);
    if (extend) control.toggle(next, true);
  };
  /** Not while the draft has JSON that does not parse: a cell edit could not be merged into it. */
  const isEditable = (record: string) =>
    props.onEdit !== undefined && props.drafts.get(record)?.text === undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, virtual.items.length - 18);
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    };
    const to = moves[event.key];
    const row = rows[active];
    if (to !== undefined) move(to, event.shiftKey);
    else if (event.key === 'Enter' && row && isEditable(row._id))
      setBegun({ row: active, times: begun.times + 1 });
    else if (event.key === 'Enter' && row?._id === open) enterPanel();
    else if (event.key === 'Enter' && row) onOpen(row._id);
    else if (event.key === ' ') control.toggle(active, event.shiftKey);
    else if (event.key === 'Escape') props.onEscape();
    else return;
    event.preventDefault();
  };

  // A draft of a new record does not count: it is not saved together with others.
  const hasDrafts = [...props.drafts.values()].some(({ base }) => base !== null);
  const template = `${checkWidth}px ${columns.map((column) => `${column.width}px`).join(' ')} minmax(0, 1fr)`;
  return (
    <div
      ref={scroller}
      class={`grid${phone ? ' as-cards' : ''}${props.onEdit ? ' in-place' : ''}${hasDrafts ? ' has-drafts' : ''}`}
      role="grid"
      aria-label={texts.list.grid}
      aria-rowcount={more ? -1 : rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={rows.length > 0 ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      style={{ '--columns': template, '--width': `${width}px` } as CSSProperties}
    >
      <GridHead {...props} shown={shown} />
      <div class="grid-body" role="rowgroup" style={{ height: `${virtual.total}px` }}>
        {virtual.items.map(({ index, key, start, size }) => {
          const record = rows[index];
          return (
            record && (
              <GridRow
                key={key}
                id={`${id}-${index}`}
                index={index}
                record={record}
                top={start}
                height={size}
                phone={phone}
                columns={columns}
                shown={shown}
                project={props.project}
                all={props.all}
                definition={props.definition}
                selected={control.has(record._id)}
                active={index === active}
                opened={open === record._id}
                begin={begun.row === index ? begun.times : 0}
                draft={props.drafts.get(record._id)}
                editable={isEditable(record._id)}
                handlers={handlers}
              />
            )
          );
        })}
      </div>
    </div>
  );
}
