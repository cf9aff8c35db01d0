import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { texts } from '../../texts.ts';

type Way = 'previous' | 'next' | 'created';

/** How the last record was left, until the next one is mounted. */
let left: { readonly way: Way; readonly id: string } | undefined;

export function leaveBy(way: Way, id: string): void {
  left = { way, id };
}

/**
 * The focus is lost when the panel of the previous record is removed: moves it to the same button in the next one's head, unless
 * the user has focused something else meanwhile.
 */
export function useFocus(head: RefObject<HTMLElement | null>, id: string): void {
  useLayoutEffect(() => {
    const way = left?.id === id ? left.way : undefined;
    left = undefined;
    if (way === undefined || document.activeElement !== document.body) return;
    placeIn(head.current, way)?.focus();
  }, []);
}

/** At the first or last record the button is disabled and can't be focused: then the other one, or the heading. */
function placeIn(head: HTMLElement | null, way: Way): HTMLElement | null | undefined {
  const ways = { previous: ['previous', 'next'], next: ['next', 'previous'], created: [] } as const;
  const buttons = ways[way].map((one) =>
    head?.querySelector<HTMLElement>(`[aria-label="${texts.record[one]}"]:enabled`),
  );
  return buttons.find(Boolean) ?? head?.querySelector('h2');
}
