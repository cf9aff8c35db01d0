import { administrator } from '../../access/caller.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { requireCollection } from '../../catalog/require-collection.ts';
import { Failure } from '../../failure.ts';
import type { CheckedRows } from '../../import/row.ts';
import { planOf } from '../../records/create.ts';
import type { StoredCollection } from '../../store/schema.ts';
import type { LoadRecord } from '../../store/write-plans.ts';
import type { Sink } from './sink.ts';
import type { Tally } from './tally.ts';

/**
 * One transaction for the whole file: it is all or nothing whatever happens, and a dry run finds every conflict, as it does all
 * the work and then rolls it back.
 */
export function directorySink(catalog: Catalog, project: string, id: string): Promise<Sink> {
  return catalog.use(project, async (open) => ({
    collection: requireCollection(open, id).definition,
    again: false,
    take: ({ checkedRows }, { dryRun, keepGood }, tally) =>
      catalog.use(
        project,
        async ({ store, schema }) => {
          const collection = schema.collections.get(id);
          if (!collection) throw new Failure('absent', `There is no collection '${id}'`);
          await store.load({
            collection: collection.ref,
            records: plans(collection, checkedRows(collection.definition), tally),
            refused: (line, { message }) => tally.refused(line, message),
            keep: () => !dryRun && (keepGood || tally.bad === 0),
          });
        },
        'once', // the rows can be read only once, so there is no retry
      ),
  }));
}

async function* plans(
  collection: StoredCollection,
  rows: CheckedRows,
  tally: Tally,
): AsyncGenerator<LoadRecord[], void> {
  for await (const part of rows) {
    const ask = { caller: administrator, now: Date.now() };
    tally.rows += part.length;
    const records: LoadRecord[] = [];
    for (const row of part) {
      if ('fault' in row) tally.refused(row.line, row.fault);
      else {
        const { valuesJson, searchText } = row;
        const plan = { ...planOf(ask, collection, row.id, row), valuesJson, searchText };
        records.push({ place: row.line, plan });
      }
    }
    yield records;
  }
}
