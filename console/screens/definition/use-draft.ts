import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { restorer, whileOpen } from './discarded.ts';
import {
  afterSaving,
  type Draft,
  draftOf,
  emptyDraft,
  findDraft,
  followAccess,
  jsonOf,
  keepDraft,
  readJson,
  twins,
  withKeys,
} from './draft.ts';

export interface DraftControl {
  readonly draft: Draft;
  /** The typed JSON, if it is not a valid definition; undefined if it says the same as the form. */
  readonly typed: string | undefined;
  /** Increases when the form changes, so that the JSON editor is mounted again with the new text. */
  readonly generation: number;
  readonly isChanged: boolean;
  /** Whether editing began with a draft of an earlier visit. */
  readonly isFound: boolean;
  change(draft: Draft): void;
  type(text: string): void;
  /** Returns a function that undoes it, which throws if something else was typed or saved since. */
  discard(): () => void;
  /** Called when the server has saved `sent` as `now`: what was changed meanwhile stays. */
  settle(sent: Draft, now: Definition): void;
}

/** The draft of a definition, kept in the browser until it is saved or discarded. */
export function useDraft(project: string, saved: Definition | undefined): DraftControl {
  const name = saved?.id ?? '_new';
  const clean = () => (saved ? draftOf(saved, saved) : emptyDraft);
  const [found, setFound] = useState(() => findDraft(project, name));
  // The saved access settings that the draft is based on. While the text does not parse they are not updated.
  const basis = useRef(found ? found.api : clean().api);
  const follow = (next: Draft) => {
    const before = basis.current;
    basis.current = clean().api;
    return saved ? followAccess(next, before, basis.current) : next;
  };
  const [draft, setDraft] = useState<Draft>(() => {
    const read = found && readJson(found.text, saved);
    return read ? follow(read) : clean();
  });
  const [typed, setTyped] = useState(() => (found && !readJson(found.text, saved) ? found.text : undefined));
  const [generation, setGeneration] = useState(0);
  const original = jsonOf(clean());
  // Callbacks that run after a request need the current values, not those of the render that started it.
  const latest = useRef({ draft, typed });
  latest.current = { draft, typed };

  const begin = (next: Draft) => {
    setDraft(next);
    setTyped(undefined);
    setFound(undefined);
    setGeneration((before) => before + 1);
  };
  const keep = (text: string) =>
    keepDraft(project, name, text === original ? {} : { text, api: basis.current });
  const change = (changed: Draft) => {
    // The JSON, and so the stored draft, would lack one of the two fields.
    if (twins(changed.fields).size > 0) return setDraft(changed);
    const next = follow(changed);
    setDraft(next);
    setTyped(undefined);
    setGeneration(generation + 1);
    keep(jsonOf(next));
  };
  const base = useRef(original);
  useLayoutEffect(() => {
    const before = base.current;
    base.current = original;
    if (original === before || typed !== undefined) return;
    // Somebody else changed it.
    const next = follow(draft);
    if (jsonOf(draft) === before) begin(clean());
    else if (next !== draft) change(next);
  }, [original]);
  const isChanged = typed !== undefined || twins(draft.fields).size > 0 || jsonOf(draft) !== original;
  useLayoutEffect(() =>
    whileOpen(project, name, {
      isChanged,
      show(discarded) {
        basis.current = discarded.api;
        setDraft(discarded.typed === undefined ? follow(discarded.draft) : discarded.draft);
        setTyped(discarded.typed);
        setGeneration((before) => before + 1);
      },
    }),
  );

  return {
    draft,
    typed,
    generation,
    isChanged,
    isFound: found !== undefined && found.text !== original,
    change,
    type(text) {
      const read = readJson(text, saved);
      setTyped(read ? undefined : text);
      if (!read) return keep(text);
      const next = follow(read);
      setDraft(next);
      keep(jsonOf(next));
      if (next !== read) setGeneration(generation + 1); // the typed text still has the old access settings
    },
    discard() {
      const restore = restorer(project, name, { ...latest.current, api: basis.current });
      basis.current = clean().api;
      keepDraft(project, name, {});
      begin(clean());
      return restore;
    },
    settle(sent, now) {
      const { draft: current, typed: text } = latest.current;
      const rest = jsonOf(current) === jsonOf(sent) ? undefined : afterSaving(current, sent);
      const next = withKeys(draftOf(now, now), current);
      keepDraft(project, name, {});
      const later = text ?? (rest && jsonOf(rest));
      if (text === undefined || !saved) basis.current = next.api;
      if (later !== undefined) keepDraft(project, now.id, { text: later, api: basis.current });
      base.current = jsonOf(next);
      if (rest) setDraft(rest);
      else if (text === undefined) begin(next);
    },
  };
}
