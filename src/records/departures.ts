import type { Scope } from '../access/scope.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Project } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { throwWorst } from '../jobs/jobs.ts';
import type { Departure } from '../store/accounts.ts';
import { waitingWork } from '../store/coordination.ts';
import { listPlan, type Position, type WalkPlan } from '../store/plans.ts';
import { textOf } from '../store/record-texts.ts';
import type { Schema, StoredCollection } from '../store/schema.ts';
import { deletionSlice, largePage } from '../store/sizes.ts';

const { departures: kind } = waitingWork;
/** Records deleted in one step. */
const slice = 100;

/** Deletes the records of deleted users and workspaces, by the rules of their relations, in slices; continues after a restart. */
export class Departures {
  readonly #catalog: Catalog;
  readonly #now: () => number;

  constructor(catalog: Catalog, now: () => number) {
    this.#catalog = catalog;
    this.#now = now;
  }

  /** `write` records departures; this notes that there is work before it does. */
  announce<T>(project: string, write: () => Promise<T>): Promise<T> {
    return this.#catalog.coordination.announceWork(kind, project, write);
  }

  hasRecords(project: string, workspace: string): Promise<boolean> {
    const scope: Scope = { kind: 'workspace', workspace };
    const look = async ({ schema, store }: Project) => {
      for (const collection of schema.collections.values()) {
        const { total } = await store.list(listPlan({ ...planOf(collection, scope), limit: 1, offset: 0 }));
        if (total > 0) return true;
      }
      return false;
    };
    return this.#catalog.use(project, look, 'fresh');
  }

  /** Does so in all projects. One that can't be opened does not stop the others; its error is thrown at the end. */
  async finishAll(signal: AbortSignal): Promise<void> {
    const { coordination } = this.#catalog;
    const failures: unknown[] = [];
    for (const noted of await coordination.listWork(kind)) {
      if (signal.aborted) return;
      try {
        if (await this.finish(noted.project, signal)) await coordination.endWork(noted);
      } catch (error) {
        failures.push(error);
      }
    }
    throwWorst(failures);
  }

  /** Returns whether nothing is left: if it is aborted, the next run does the rest. */
  async finish(project: string, signal: AbortSignal): Promise<boolean> {
    try {
      for (const departure of await this.#list(project)) {
        if (!(await this.#purge(project, departure, signal))) return false;
        await this.#catalog.useAccounts(project, ({ store }) => store.accounts.endDeparture(departure.id));
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'absent') throw error;
    }
    return true; // also if the project was deleted, with all that is in it
  }

  #list(project: string): Promise<readonly Departure[]> {
    return this.#catalog.useAccounts(project, ({ store }) => store.accounts.listDepartures());
  }

  /**
   * Returns whether everything is deleted that can be. Records that others restrict may become free when those are deleted too,
   * so this is repeated as long as it makes progress; what is still restricted stays. Some records may be in a collection that
   * any node has created or renamed meanwhile: it ends only after a pass during which the schema did not change.
   */
  async #purge(project: string, departure: Departure, signal: AbortSignal): Promise<boolean> {
    const scope: Scope =
      departure.kind === 'user'
        ? { kind: 'owner', owner: departure.id }
        : { kind: 'workspace', workspace: departure.id };
    for (let known = await this.#schemaOf(project); ; ) {
      let deleted = 0;
      for (const id of known.collections.keys()) {
        for (let place: Position | undefined | 'start' = 'start'; place; ) {
          if (signal.aborted) return false;
          const after: Position | undefined = place === 'start' ? undefined : place;
          const done: Slice = await this.#catalog.use(project, (open) =>
            deleteSlice(open, id, { scope, after, at: this.#now() }),
          );
          deleted += done.deleted;
          place = done.end;
        }
      }
      const { version } = known;
      known = await this.#schemaOf(project);
      if (deleted === 0 && known.version === version) return true;
    }
  }

  #schemaOf(project: string): Promise<Schema> {
    return this.#catalog.use(project, ({ schema }) => schema, 'fresh');
  }
}

interface Slice {
  readonly deleted: number;
  readonly end: Position | undefined;
}

interface Wanted {
  readonly scope: Scope;
  readonly after: Position | undefined;
  readonly at: number;
}

async function deleteSlice(
  { schema, store }: Project,
  id: string,
  { scope, after, at }: Wanted,
): Promise<Slice> {
  const collection = schema.collections.get(id);
  if (!collection) return { deleted: 0, end: undefined };
  const { found, end } = await store.walk({
    ...planOf(collection, scope),
    limit: slice,
    after,
    most: largePage,
  });
  const plans = found.map((record) => {
    const { _id } = JSON.parse(textOf(record)) as { readonly _id: string };
    return { collection: collection.ref, id: _id, scope, at };
  });
  if (plans.length === 0) return { deleted: 0, end };
  try {
    const steps = plans.map((plan, index) => ({ kind: 'delete', place: `[${index}]`, plan }) as const);
    await store.batch({ steps, mostWork: deletionSlice });
    return { deleted: plans.length, end };
  } catch (error) {
    if (!(error instanceof Failure)) throw error; // restricted, as below, or too much work for one transaction
  }
  let deleted = 0;
  for (const plan of plans) {
    try {
      if (await store.delete(plan)) deleted += 1;
    } catch (error) {
      if (!isHeldBack(error)) throw error;
    }
  }
  return { deleted, end };
}

/** Restricted by another record, or already gone by a cascade from one that was deleted before. */
const isHeldBack = (error: unknown) =>
  error instanceof Failure && (error.kind === 'conflict' || error.kind === 'absent');

function planOf({ ref }: StoredCollection, scope: Scope): Omit<WalkPlan, 'limit' | 'after'> {
  return {
    collection: ref,
    where: { scope, conditions: [], search: [] },
    ...{ sort: [], include: [], extra: [] },
  };
}
