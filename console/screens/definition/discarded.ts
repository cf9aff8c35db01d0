import type { Definition } from '../../../client/admin.ts';
import { collectionsKey } from '../../api.ts';
import { queries } from '../../queries.ts';
import { texts } from '../../texts.ts';
import { type Draft, draftOf, findDraft, jsonOf, keepDraft } from './draft.ts';

/** What a form held. `api`: the access settings when it was begun. */
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

/**
 * Registers the open form, which shows what is restored, even if that was discarded on an earlier visit. Returns a function
 * that ends this.
 */
export function whileOpen(project: string, name: string, form: OpenForm): () => void {
  const key = `${project}/${name}`;
  openForms.set(key, form);
  return () => void openForms.delete(key);
}

/**
 * Returns a function that restores what is discarded now. It throws if something else was typed or saved since: a draft is a
 * whole definition, and would undo that.
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

/** What is saved, as far as this page knows, without the access settings, which a draft follows. Empty if it is gone or new. */
function savedText(project: string, name: string): string | undefined {
  const all = queries.getQueryData<Definition[]>(collectionsKey(project));
  const saved = all?.find(({ id }) => id === name);
  return all && (saved ? jsonOf({ ...draftOf(saved, saved), api: {} }) : '');
}
