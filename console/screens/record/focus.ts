import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { texts } from '../../texts.ts';

type Way = 'previous' | 'next' | 'created';

/** How a record was left for another, which is yet to come. */
let left: { readonly way: Way; readonly id: string } | undefined;

export function leaveBy(way: Way, id: string): void {
  left = { way, id };
}

/**
 * The focus was lost with the record that was left: it goes on in the head of the next one, where the same button is, and stays
 * where somebody has taken it meanwhile.
 */
export function useFocus(head: RefObject<HTMLElement | null>, id: string): void {
  useLayoutEffect(() => {
    const way = left?.id === id ? left.way : undefined;
    left = undefined;
    if (way === undefined || document.activeElement !== document.body) return;
    placeIn(head.current, way)?.focus();
  }, []);
}

/** Beside the last record there is no next one: a button that is disabled takes no focus. */
function placeIn(head: HTMLElement | null, way: Way): HTMLElement | null | undefined {
  const ways = { previous: ['previous', 'next'], next: ['next', 'previous'], created: [] } as const;
  const buttons = ways[way].map((one) =>
    head?.querySelector<HTMLElement>(`[aria-label="${texts.record[one]}"]:enabled`),
  );
  return buttons.find(Boolean) ?? head?.querySelector('h2');
}
