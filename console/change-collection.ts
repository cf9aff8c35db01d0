import type { Definition } from '../client/admin.ts';
import { admin, collectionsKey } from './api.ts';
import { queries, refresh } from './queries.ts';

/** What the server answered to a change is known at once, before the list of collections is asked anew. `was`: its id before. */
export function noteCollection(project: string, now: Definition, was: string | undefined = undefined): void {
  queries.setQueryData<Definition[]>(collectionsKey(project), (all) => {
    if (!all) return undefined;
    return was === undefined ? [...all, now] : all.map((one) => (one.id === was ? now : one));
  });
  void refresh(...collectionsKey(project));
}

/**
 * Changes a part of a definition. The API takes whole ones: so the rest is what the server has now, not what this page read a
 * while ago, and what others changed since is not undone.
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
