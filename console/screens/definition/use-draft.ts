import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { type Draft, draftOf, emptyDraft, findDraft, jsonOf, keepDraft, readJson } from './draft.ts';

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
}

/** The draft of a definition: kept in the browser until it is saved or thrown away. */
export function useDraft(project: string, saved: Definition | undefined): DraftControl {
  const name = saved?.id ?? '_new';
  const clean = () => (saved ? draftOf(saved, saved) : emptyDraft);
  const [found] = useState(() => findDraft(project, name));
  const [draft, setDraft] = useState<Draft>(() => (found && readJson(found, saved)) || clean());
  const [typed, setTyped] = useState(() => (found && !readJson(found, saved) ? found : undefined));
  const [generation, setGeneration] = useState(0);
  const original = jsonOf(clean());

  const keep = (text: string) => keepDraft(project, name, text === original ? undefined : text);
  return {
    draft,
    typed,
    generation,
    isChanged: typed !== undefined || jsonOf(draft) !== original,
    isFound: found !== undefined && found !== original,
    change(next) {
      setDraft(next);
      setTyped(undefined);
      setGeneration(generation + 1);
      keep(jsonOf(next));
    },
    type(text) {
      const read = readJson(text, saved);
      setTyped(read ? undefined : text);
      if (read) setDraft(read);
      keep(read ? jsonOf(read) : text);
    },
    discard() {
      keepDraft(project, name, undefined);
      setDraft(clean());
      setTyped(undefined);
      setGeneration(generation + 1);
    },
  };
}
