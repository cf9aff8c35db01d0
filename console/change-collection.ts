import type { Definition } from '../client/admin.ts';
import { admin, collectionsKey } from './api.ts';
import { queries, refresh } from './queries.ts';

/** Puts the definition that the server answered into the cached list, before that is fetched again. `was`: its previous id. */
export function noteCollection(project: string, now: Definition, was: string | undefined = undefined): void {
  queries.setQueryData<Definition[]>(collectionsKey(project), (all) => {
    if (!all) return undefined;
    return was === undefined ? [...all, now] : all.map((one) => (one.id === was ? now : one));
  });
  void refresh(...collectionsKey(project));
}

/**
 * Changes a part of a definition. The API only takes whole definitions, so the rest is read from the server first: what this
 * page read a while ago would undo what others have changed since.
 */
export async function changeCollection(
  project: string,
  id: string,
  change: (now: Definition) => Definition,
): Promise<Definition> {
  const { collections } = admin.project(project);
  const changed = await collections.change(id, change(await collections.view(id)));
  noteCollection(project, changed, id);
  return changed;
}
