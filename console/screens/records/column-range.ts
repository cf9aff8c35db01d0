import type { RefObject } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Column } from './columns.ts';

export const checkWidth = 40;

/** A column that is drawn, and where. */
export interface PlacedColumn extends Column {
  /** Its place among all, from 0. */
  readonly at: number;
  /** Pixels from the left of the list. */
  readonly left: number;
}

/** Pixels on both sides that are drawn before they are seen. */
const ahead = 300;

function placeAll(columns: readonly Column[]): PlacedColumn[] {
  let left = checkWidth;
  return columns.map((column, at) => {
    const placed = { ...column, at, left };
    left += column.width;
    return placed;
  });
}

/** Of many columns those that are seen, and those that stay in sight. */
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
      // In steps: most of the scrolling changes nothing.
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

/** In its own column of the row's grid, though its neighbours may not be drawn. */
export const placeOf = ({ at, pinned, left }: PlacedColumn) => ({
  gridColumn: at + 2,
  ...(pinned && { left: `${left}px` }),
});
