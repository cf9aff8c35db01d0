import type { Definition } from '../../../client/admin.ts';

export interface Box {
  readonly id: string;
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly from: string;
  readonly field: string;
  readonly to: string;
  readonly many: boolean;
}

export const boxWidth = 176;
export const boxHeight = 40;
const gapX = 96;
const gapY = 24;

export function linesOf(collections: readonly Definition[]): Line[] {
  return collections.flatMap(({ id, fields = {} }) =>
    Object.entries(fields).flatMap(([field, { type, to, kind }]) =>
      type === 'relation' ? [{ from: id, field, to: String(to), many: kind === 'multiple' }] : [],
    ),
  );
}

/**
 * Columns from left to right: what points to others stands left of them, as far as there are no circles. Collections without
 * any relation come last, below.
 */
export function layOut(collections: readonly Definition[], lines: readonly Line[]): Box[] {
  const linked = new Set(lines.flatMap(({ from, to }) => [from, to]));
  const depth = depthsOf([...linked], lines);
  const rows = new Map<number, number>();
  const place = (column: number) => {
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { x: column * (boxWidth + gapX), y: row * (boxHeight + gapY) };
  };
  const named = collections.map(({ id, name = id }) => ({ id, name }));
  const first = named
    .filter(({ id }) => linked.has(id))
    .map((box) => ({ ...box, ...place(depth.get(box.id) ?? 0) }));
  const below = Math.max(0, ...first.map(({ y }) => y + boxHeight + 2 * gapY));
  const rest = named
    .filter(({ id }) => !linked.has(id))
    .map((box, index) => ({
      ...box,
      x: (index % 4) * (boxWidth + gapX / 4),
      y: below + Math.floor(index / 4) * (boxHeight + gapY),
    }));
  return [...first, ...rest];
}

/** How many steps lead there at most; a circle is cut where it closes. */
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
