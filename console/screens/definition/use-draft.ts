import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
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
  /** The JSON beside the form, as it was typed; undefined where it is what the form says. */
  readonly typed: string | undefined;
  /** Grows whenever the form changes, so that the JSON editor begins anew. */
  readonly generation: number;
  readonly isChanged: boolean;
  /** Whether it began with a draft of an earlier visit. */
  readonly isFound: boolean;
  change(draft: Draft): void;
  type(text: string): void;
  discard(): void;
  /** The server has what was sent, and answered that it is `now`: what was changed meanwhile stays. */
  settle(sent: Draft, now: Definition): void;
}

/** The draft of a definition: kept in the browser until it is saved or thrown away. */
export function useDraft(project: string, saved: Definition | undefined): DraftControl {
  const name = saved?.id ?? '_new';
  const clean = () => (saved ? draftOf(saved, saved) : emptyDraft);
  const [found, setFound] = useState(() => findDraft(project, name));
  const [draft, setDraft] = useState<Draft>(() => {
    const read = found && readJson(found.text, saved);
    return read ? followAccess(read, found.api, clean().api) : clean();
  });
  const [typed, setTyped] = useState(() => (found && !readJson(found.text, saved) ? found.text : undefined));
  const [generation, setGeneration] = useState(0);
  const original = jsonOf(clean());
  // As they are when an answer comes, not as they were when it was asked for.
  const latest = useRef({ draft, typed });
  latest.current = { draft, typed };

  const begin = (next: Draft) => {
    setDraft(next);
    setTyped(undefined);
    setFound(undefined);
    setGeneration((before) => before + 1);
  };
  const keep = (text: string) =>
    keepDraft(project, name, text === original ? {} : { text, api: clean().api });
  const change = (next: Draft) => {
    setDraft(next);
    if (twins(next.fields).size > 0) return; // one of them would be missing in what is kept, and in the JSON
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
    if (jsonOf(draft) === before) return begin(clean());
    const next = followAccess(draft, (JSON.parse(before) as Definition).api, clean().api);
    if (next !== draft) change(next);
  }, [original]);

  return {
    draft,
    typed,
    generation,
    isChanged: typed !== undefined || twins(draft.fields).size > 0 || jsonOf(draft) !== original,
    isFound: found !== undefined && found.text !== original,
    change,
    type(text) {
      const read = readJson(text, saved);
      setTyped(read ? undefined : text);
      if (read) setDraft(read);
      keep(read ? jsonOf(read) : text);
    },
    discard() {
      keepDraft(project, name, {});
      begin(clean());
    },
    settle(sent, now) {
      const { draft: current, typed: text } = latest.current;
      const rest = jsonOf(current) === jsonOf(sent) ? undefined : afterSaving(current, sent);
      const next = withKeys(draftOf(now, now), current);
      keepDraft(project, name, {});
      const later = text ?? (rest && jsonOf(rest));
      if (later !== undefined) keepDraft(project, now.id, { text: later, api: next.api });
      base.current = jsonOf(next);
      if (rest) setDraft(rest);
      else if (text === undefined) begin(next);
    },
  };
}
