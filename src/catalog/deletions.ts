import type { Authority } from '../access/authority.ts';
import { Failure } from '../failure.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { Project } from './project.ts';
import { requireCollection } from './require-collection.ts';

/** `confirmed`: also where there are records in it. */
export async function deleteCollection(
  project: Project,
  id: string,
  { confirmed, authority }: { readonly confirmed: boolean; readonly authority: Authority | undefined },
): Promise<void> {
  const collection = requireCollection(project, id);
  await refuseDeletion(project, collection, confirmed);
  await project.store.deleteCollection({ collection: collection.ref, authority });
}

/** Refuses to delete a project that has records. */
export async function refuseLoss({ id, store }: Project): Promise<void> {
  const records = await store.countRecords();
  if (records > 0) throw losesRecords(`project '${id}'`, records);
}

/** A relation of another collection would be left without its target. */
async function refuseDeletion(
  project: Project,
  collection: StoredCollection,
  confirmed: boolean,
): Promise<void> {
  const { id } = collection.definition;
  const referrer = collection.referrers.find(({ from }) => from !== collection);
  if (referrer) {
    const place = `${referrer.from.definition.id}.${referrer.field.name}`;
    throw new Failure('conflict', `${place} is a relation to ${id}: remove that field first`);
  }
  const records = await project.store.countRecords(collection.ref);
  if (records > 0 && !confirmed) throw losesRecords(`collection '${id}'`, records);
}

function losesRecords(what: string, records: number): Failure {
  const lost = records === 1 ? 'its record' : `its ${records} records`;
  return new Failure(
    'conflict',
    `Deleting the ${what} would lose ${lost}: repeat with ?confirm=destructive to do it anyway`,
  );
}
