import type { Project } from '../catalog/project.ts';
import { requireCollection } from '../catalog/require-collection.ts';
import type { Collection } from '../model/collection.ts';
import { hasIndex } from '../model/indexed.ts';
import { type ListPlan, listPlan } from '../store/plans.ts';
import { bytesOf } from '../store/record-texts.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/** How many of the oldest and of the newest records are measured, to estimate the size of all. */
const sampled = 200;

/** GET /v1/_admin/projects/:project/collections/:collection/stats */
export async function viewStats(project: Project, id: string): Promise<string> {
  const collection = requireCollection(project, id);
  const records = await project.store.countRecords(collection.ref);
  return JSON.stringify({
    records,
    bytes: await weigh(project.store, collection, records),
    indexes: indexesOf(collection.definition),
  });
}

/** Bytes of all records as JSON; exact if there are few. */
async function weigh(store: Store, collection: StoredCollection, records: number): Promise<number> {
  const page = async (descending: boolean, limit: number) => {
    const { found } = await store.list(samplePlan(collection, descending, limit));
    if (typeof found !== 'string') return bytesOf(found);
    return Buffer.byteLength(found) - Math.max(limit - 1, 0); // without the commas between records
  };
  const first = Math.min(records, sampled);
  const last = Math.min(records - first, sampled);
  if (first === 0) return 0;
  const bytes = (await page(false, first)) + (last > 0 ? await page(true, last) : 0);
  return Math.round((bytes / (first + last)) * records);
}

function samplePlan(collection: StoredCollection, descending: boolean, limit: number): ListPlan {
  return listPlan({
    collection: collection.ref,
    where: { scope: { kind: 'all' }, conditions: [], search: [] },
    sort: [{ name: '_createdAt', descending }],
    limit,
    offset: 0,
    include: [],
    extra: [],
  });
}

/** The indexes that filters and sorting can use. */
function indexesOf({ fields, indexes }: Collection): object[] {
  const single = [...fields.values()].filter(hasIndex);
  return [
    ...single.map(({ name, unique = false }) => ({ fields: [name], unique })),
    ...indexes.map(({ fields: names, unique = false }) => ({ fields: names, unique })),
  ];
}
