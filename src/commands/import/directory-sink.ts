import { v7 as uuidv7 } from 'uuid';
import { administrator } from '../../access/caller.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { requireCollection } from '../../catalog/require-collection.ts';
import { Failure } from '../../failure.ts';
import { insertPlan } from '../../records/create.ts';
import type { StoredCollection } from '../../store/schema.ts';
import type { LoadRecord } from '../../store/write-plans.ts';
import type { Row, Rows } from './row.ts';
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
    take: (rows, { dryRun, keepGood }, tally) =>
      catalog.use(
        project,
        async ({ store, schema }) => {
          const collection = schema.collections.get(id);
          if (!collection) throw new Failure('absent', `There is no collection '${id}'`);
          await store.load({
            records: plans(collection, rows(), tally),
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
  rows: Rows,
  tally: Tally,
): AsyncGenerator<LoadRecord[], void> {
  for await (const part of rows) {
    const now = Date.now();
    tally.rows += part.length;
    yield part.flatMap((row) => plan(collection, row, now, tally));
  }
}

function plan(collection: StoredCollection, row: Row, now: number, tally: Tally): LoadRecord[] {
  if ('fault' in row) {
    tally.refused(row.line, row.fault);
    return [];
  }
  try {
    const ask = { caller: administrator, now };
    return [{ place: row.line, plan: insertPlan(ask, collection, uuidv7(), row.body) }];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    tally.refused(row.line, error.message);
    return [];
  }
}
