import type { Authority } from '../access/authority.ts';
import { Failure } from '../failure.ts';
import { losesRecords } from '../store/loses-records.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { Project } from './project.ts';
import { requireCollection } from './require-collection.ts';

/** `confirmed`: even if it has records. */
export async function deleteCollection(
  project: Project,
  id: string,
  { confirmed, authority }: { readonly confirmed: boolean; readonly authority: Authority | undefined },
): Promise<void> {
  const collection = requireCollection(project, id);
  refuseReferred(collection);
  await project.store.deleteCollection({ collection: collection.ref, confirmed, authority });
}

/** Refuses to delete a project that has records. */
export async function refuseLoss({ id, store }: Project): Promise<void> {
  const records = await store.countRecords();
  if (records > 0) throw losesRecords(`project '${id}'`, records);
}

/** A relation of another collection would be left without its target. */
function refuseReferred(collection: StoredCollection): void {
  const { id } = collection.definition;
  const referrer = collection.referrers.find(({ from }) => from !== collection);
  if (!referrer) return;
  const place = `${referrer.from.definition.id}.${referrer.field.name}`;
  throw new Failure('conflict', `${place} is a relation to ${id}: remove that field first`);
}
