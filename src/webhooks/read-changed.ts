import type { Project } from '../catalog/project.ts';
import { selectFields } from '../records/select-fields.ts';
import { listPlan } from '../store/plans.ts';
import { joinedText } from '../store/record-texts.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { Waiting, Webhook } from '../store/webhooks.ts';

const everything = { kind: 'all' } as const;

/**
 * The record of a change as an administrator sees it now, as JSON; `null` if the change has none. undefined: the record is gone,
 * and the change can be dropped, because the deletion is reported after it.
 */
export async function readChanged(
  project: Project,
  { fields }: Pick<Webhook, 'fields'>,
  { kind, collection: name, id }: Waiting,
): Promise<string | undefined> {
  if (kind === 'delete' || kind === 'refetch' || id === null) return 'null';
  const collection = project.schema.collections.get(name);
  if (!collection) return undefined;
  if (fields === null) return project.store.view({ collection: collection.ref, id, scope: everything });
  const json = await readWithBinding(project, collection, id);
  return json === undefined ? undefined : selectFields(json, fields);
}

/** `_owner` and `_workspace` are part of a record only if requested. */
async function readWithBinding(
  { store }: Project,
  { ref }: StoredCollection,
  id: string,
): Promise<string | undefined> {
  const { found } = await store.list(
    listPlan({
      collection: ref,
      where: { scope: everything, conditions: [{ kind: 'oneOf', name: '_id', values: [id] }], search: [] },
      ...{ sort: [], limit: 1, offset: 0, include: [] },
      extra: ['_owner', '_workspace'],
    }),
  );
  return joinedText(found) || undefined;
}
