import type { Scope } from '../access/scope.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Project } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { throwWorst } from '../jobs/jobs.ts';
import type { Departure } from '../store/accounts.ts';
import { waitingWork } from '../store/coordination.ts';
import { listPlan, type Position, type WalkPlan } from '../store/plans.ts';
import type { Schema, StoredCollection } from '../store/schema.ts';
import { deletionSlice } from '../store/sizes.ts';

const { departures: kind } = waitingWork;
/** Records that are deleted in one step. */
const slice = 100;

/** Records of deleted users and workspaces, which go by their relations' rules, a slice at a time, also after a restart. */
export class Departures {
  readonly #catalog: Catalog;
  readonly #now: () => number;

  constructor(catalog: Catalog, now: () => number) {
    this.#catalog = catalog;
    this.#now = now;
  }

  /** For departures that are written down by `write`. */
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

  /** In all projects. One that can't be opened keeps no other from it, and is told of at the end. */
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

  /** Whether nothing is left: it goes as far as the signal lets it, and whoever comes next does the rest. */
  async finish(project: string, signal: AbortSignal): Promise<boolean> {
    try {
      for (const departure of await this.#list(project)) {
        if (!(await this.#purge(project, departure, signal))) return false;
        await this.#catalog.useAccounts(project, ({ store }) => store.accounts.endDeparture(departure.id));
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'absent') throw error;
    }
    return true; // also where the project was deleted, and all that is in it
  }

  #list(project: string): Promise<readonly Departure[]> {
    return this.#catalog.useAccounts(project, ({ store }) => store.accounts.listDepartures());
  }

  /**
   * Whether all is deleted that can be. What other records hold back (`restrict`) may be free once those are gone that are
   * deleted too, so it is tried again as long as that gets any further; in the end it stays. Some may be in a collection that was made
   * or renamed meanwhile, by whatever node: the end is one under the schema of its beginning.
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
  const { found, end } = await store.walk({ ...planOf(collection, scope), limit: slice, after });
  const plans = found.map((json) => {
    const { _id } = JSON.parse(json) as { readonly _id: string };
    return { collection: collection.ref, id: _id, scope, at };
  });
  if (plans.length === 0) return { deleted: 0, end };
  try {
    const steps = plans.map((plan, index) => ({ kind: 'delete', place: `[${index}]`, plan }) as const);
    await store.batch({ steps, mostWork: deletionSlice });
    return { deleted: plans.length, end };
  } catch (error) {
    if (!(error instanceof Failure)) throw error; // held back, as below, or more than others should wait for
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

/** By another record, or gone by way of one that was deleted before it. */
const isHeldBack = (error: unknown) =>
  error instanceof Failure && (error.kind === 'conflict' || error.kind === 'absent');

function planOf({ ref }: StoredCollection, scope: Scope): Omit<WalkPlan, 'limit' | 'after'> {
  return {
    collection: ref,
    where: { scope, conditions: [], search: [] },
    ...{ sort: [], include: [], extra: [] },
  };
}
