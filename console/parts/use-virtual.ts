import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

interface VirtualOptions {
  readonly count: number;
  readonly size: number;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly keyOf: (index: number) => string;
}

export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly total: number;
  scrollTo(index: number): void;
}

/** Renders only the visible rows and a few around them. */
export function useVirtual({ count, size, scroller, keyOf }: VirtualOptions): VirtualRows {
  const [, render] = useState({});
  const options = {
    count,
    estimateSize: () => size,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    overscan: 8,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => render({}),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [size]);
  return {
    items: virtualizer.getVirtualItems(),
    total: virtualizer.getTotalSize(),
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}
