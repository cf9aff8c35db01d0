import type { Definition } from '../../../client/admin.ts';
import { collectionsKey } from '../../api.ts';
import { queries } from '../../queries.ts';
import { texts } from '../../texts.ts';
import { type Draft, draftOf, findDraft, jsonOf, keepDraft } from './draft.ts';

/** What a form held. `api`: who might do what when it was begun. */
export interface Discarded {
  readonly draft: Draft;
  readonly typed: string | undefined;
  readonly api: Draft['api'] | undefined;
}

/** A form that shows a definition. */
interface OpenForm {
  readonly isChanged: boolean;
  show(discarded: Discarded): void;
}

const openForms = new Map<string, OpenForm>();

/** Until what it returns is called, this form shows what is brought back, also of an earlier visit. */
export function whileOpen(project: string, name: string, form: OpenForm): () => void {
  const key = `${project}/${name}`;
  openForms.set(key, form);
  return () => void openForms.delete(key);
}

/**
 * What it gives brings back what is discarded now. It fails where something else was typed since, or saved: a draft is a whole
 * definition, and would take that back.
 */
export function restorer(project: string, name: string, discarded: Discarded): () => void {
  const before = savedText(project, name);
  return () => {
    const form = openForms.get(`${project}/${name}`);
    const now = savedText(project, name);
    if (form?.isChanged || findDraft(project, name) || (now ?? before) !== before)
      throw new Error(texts.notRestored);
    const { draft, typed, api } = discarded;
    keepDraft(project, name, { text: typed ?? jsonOf(draft), api });
    form?.show(discarded);
  };
}

/** What is saved as far as this page knows, without who may do what: a draft follows that. Empty where it is gone or new. */
function savedText(project: string, name: string): string | undefined {
  const all = queries.getQueryData<Definition[]>(collectionsKey(project));
  const saved = all?.find(({ id }) => id === name);
  return all && (saved ? jsonOf({ ...draftOf(saved, saved), api: {} }) : '');
}
