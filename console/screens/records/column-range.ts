import type { RefObject } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Column } from './columns.ts';

export const checkWidth = 40;

/** A column with its position. */
export interface PlacedColumn extends Column {
  /** Its index among all columns. */
  readonly at: number;
  /** Pixels from the left of the list. */
  readonly left: number;
}

/** Pixels on both sides of the visible range that are rendered too. */
const ahead = 300;

function placeAll(columns: readonly Column[]): PlacedColumn[] {
  let left = checkWidth;
  return columns.map((column, at) => {
    const placed = { ...column, at, left };
    left += column.width;
    return placed;
  });
}

/** The columns to render: the visible ones and the pinned ones. */
export function useColumnRange(
  scroller: RefObject<HTMLElement | null>,
  columns: readonly Column[],
): { readonly shown: readonly PlacedColumn[]; readonly width: number } {
  const placed = useMemo(() => placeAll(columns), [columns]);
  const width = checkWidth + columns.reduce((sum, column) => sum + column.width, 0);
  const [seen, setSeen] = useState({ from: 0, to: 2_000 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => {
      // Rounded to steps, so that most scroll events change nothing.
      const from = Math.floor(element.scrollLeft / ahead) * ahead - ahead;
      const to = from + Math.ceil(element.clientWidth / ahead) * ahead + 3 * ahead;
      setSeen((last) => (last.from === from && last.to === to ? last : { from, to }));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  const shown = useMemo(
    () =>
      placed.filter(({ pinned, left, width: wide }) => pinned || (left + wide > seen.from && left < seen.to)),
    [placed, seen],
  );
  return { shown, width };
}

/** Explicit grid position, because the columns before it may not be rendered. */
export const placeOf = ({ at, pinned, left }: PlacedColumn) => ({
  gridColumn: at + 2,
  ...(pinned && { left: `${left}px` }),
});
