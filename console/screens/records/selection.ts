import { useEffect, useState } from 'preact/hooks';

/** Some records by id, or all that match the query. */
export type Selection =
  | { readonly kind: 'some'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'all' };

const nothing: Selection = { kind: 'some', ids: new Set() };

export interface SelectionControl {
  readonly selection: Selection;
  readonly isEmpty: boolean;
  has(id: string): boolean;
  /** `range`: selects everything between the last toggled row and this one. */
  toggle(index: number, range: boolean): void;
  toggleLoaded(): void;
  selectAll(): void;
  clear(): void;
}

/** `scope`: identifies the viewer and the query. Whenever it changes, the selection is cleared. */
export function useSelection(ids: readonly string[], scope: string): SelectionControl {
  const [made, setMade] = useState({ scope, selection: nothing });
  const [anchor, setAnchor] = useState<string>();
  const setSelection = (next: Selection) => setMade({ scope, selection: next });
  useEffect(() => {
    setSelection(nothing);
    setAnchor(undefined);
  }, [scope]);
  const selection = made.scope === scope ? made.selection : nothing;
  const chosen = selection.kind === 'all' ? new Set(ids) : selection.ids;
  return {
    selection,
    isEmpty: selection.kind === 'some' && selection.ids.size === 0,
    has: (id) => selection.kind === 'all' || selection.ids.has(id),
    toggle(index, range) {
      const id = ids[index];
      if (id === undefined) return;
      const next = new Set(chosen);
      const last = range && anchor !== undefined ? ids.indexOf(anchor) : -1;
      const from = last < 0 ? index : last;
      const adding = range ? true : !next.has(id);
      for (const one of ids.slice(Math.min(from, index), Math.max(from, index) + 1)) {
        if (adding) next.add(one);
        else next.delete(one);
      }
      setAnchor(id);
      setSelection({ kind: 'some', ids: next });
    },
    toggleLoaded() {
      const every = ids.every((id) => chosen.has(id));
      setSelection({ kind: 'some', ids: new Set(every ? [] : ids) });
    },
    selectAll: () => setSelection({ kind: 'all' }),
    clear: () => setSelection(nothing),
  };
}
