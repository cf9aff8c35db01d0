import type { Definition } from '../../../client/admin.ts';

export interface Row {
  readonly name: string;
  readonly type: string;
}

export interface Box {
  readonly id: string;
  readonly name: string;
  readonly rows: readonly Row[];
  /** Fields that are not shown. */
  readonly more: number;
  readonly height: number;
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly from: string;
  readonly field: string;
  readonly to: string;
  readonly many: boolean;
}

export const boxWidth = 208;
export const headHeight = 36;
export const rowHeight = 22;
const mostRows = 10;
const gapX = 96;
const gapY = 24;

export function linesOf(collections: readonly Definition[]): Line[] {
  return collections.flatMap(({ id, fields = {} }) =>
    Object.entries(fields).flatMap(([field, { type, to, kind }]) =>
      type === 'relation' ? [{ from: id, field, to: String(to), many: kind === 'multiple' }] : [],
    ),
  );
}

/** The first few fields, and all relations, because lines start at them. */
function rowsOf(fields: NonNullable<Definition['fields']>): Row[] {
  const all = Object.entries(fields).map(([name, { type }]) => ({ name, type }));
  let left = mostRows - all.filter(({ type }) => type === 'relation').length;
  return all.filter(({ type }) => {
    if (type === 'relation') return true;
    left -= 1;
    return left >= 0;
  });
}

function boxOf({ id, name = id, fields = {} }: Definition) {
  const rows = rowsOf(fields);
  const more = Object.keys(fields).length - rows.length;
  const height = headHeight + (rows.length + Number(more > 0)) * rowHeight + 8;
  return { id, name, rows, more, height };
}

/** Places boxes in columns, each below the previous one in its column. */
function columnsFrom(top: number, between: number) {
  const ends = new Map<number, number>();
  return (column: number, height: number) => {
    const y = ends.get(column) ?? top;
    ends.set(column, y + height + gapY);
    return { x: column * (boxWidth + between), y };
  };
}

const besides = 4;

/**
 * Columns from left to right: a collection is left of those it points to, unless there is a cycle. Collections without any
 * relation come last, below.
 */
export function layOut(collections: readonly Definition[], lines: readonly Line[]): Box[] {
  const linked = new Set(lines.flatMap(({ from, to }) => [from, to]));
  const depth = depthsOf([...linked], lines);
  const boxes = collections.map(boxOf);
  const place = columnsFrom(0, gapX);
  const first = boxes
    .filter(({ id }) => linked.has(id))
    .map((box) => ({ ...box, ...place(depth.get(box.id) ?? 0, box.height) }));
  const placeBelow = columnsFrom(
    Math.max(0, ...first.map(({ y, height }) => y + height + 2 * gapY)),
    gapX / 4,
  );
  const rest = boxes
    .filter(({ id }) => !linked.has(id))
    .map((box, index) => ({ ...box, ...placeBelow(index % besides, box.height) }));
  return [...first, ...rest];
}

/** The length of the longest path to each collection; the limits end cycles. */
function depthsOf(ids: readonly string[], lines: readonly Line[]): Map<string, number> {
  const depth = new Map(ids.map((id) => [id, 0]));
  for (let round = 0; round < Math.min(ids.length, 12); round += 1) {
    for (const { from, to } of lines) {
      const next = (depth.get(from) ?? 0) + 1;
      if (from !== to && next > (depth.get(to) ?? 0) && next < ids.length && next <= 8) depth.set(to, next);
    }
  }
  return depth;
}
