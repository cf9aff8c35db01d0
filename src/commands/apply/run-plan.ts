import { type Admin, type Definition, VitrineError } from '../../../client/admin.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Api } from '../api/open-api.ts';
import { listCollections } from '../api/projects.ts';
import { CommandFailure } from '../command.ts';
import { relationsOutside, targetsOf, withoutFields } from './definition.ts';
import type { ApplyPlan, Deletion } from './plan.ts';

/**
 * Executes a plan. The change of each collection is atomic, but the plan is not: if one fails, those before it remain, and
 * applying the file again continues from there.
 */
export async function runPlan({ admin }: Api, plan: ApplyPlan, confirmed: boolean): Promise<void> {
  const { id } = plan.project;
  const { collections } = admin.project(id);
  const steps = new Steps();
  const { isNew, change } = plan.project;
  if (isNew || Object.keys(change).length > 0)
    await steps.run(isNew ? 'created' : 'changed', { id: `project ${id}` }, () =>
      isNew
        ? admin.projects.create({ id, ...change })
        : admin.projects.update(id, change, confirm(confirmed)),
    );
  const there = new Set((await listCollections(admin, id)).map((definition) => String(definition.id)));
  const unfinished: JsonObject[] = [];
  for (const definition of plan.creations) {
    const early = relationsOutside(definition, there);
    await steps.run('created', definition, () =>
      collections.create(withoutFields(definition, early) as unknown as Definition),
    );
    there.add(String(definition.id));
    if (early.size > 0) unfinished.push(definition);
  }
  for (const change of plan.changes) {
    await steps.run('changed', change, () =>
      collections.change(change.id, change.raw as unknown as Definition, confirm(confirmed)),
    );
  }
  for (const definition of unfinished) {
    await steps.run('changed', definition, () =>
      collections.change(String(definition.id), definition as unknown as Definition, confirm(confirmed)),
    );
  }
  await runDeletions({ admin, project: id, deletions: plan.deletions, confirmed, steps });
}

/** What is done to collections, one after the other. */
class Steps {
  readonly #done: string[] = [];

  /** Adds the name of the collection to an error, and what was done before. */
  async run(what: string, { id }: { readonly id?: unknown }, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof VitrineError) || (error.status === 0 && this.#done.length === 0)) throw error;
      const stays = this.#done.length > 0 ? ` (done before, and stays: ${this.#done.join(', ')})` : '';
      throw new CommandFailure(`${String(id)}: ${error.message}${stays}`);
    }
    this.#done.push(`${String(id)} ${what}`);
  }
}

interface Deleting {
  readonly admin: Admin;
  readonly project: string;
  readonly deletions: readonly Deletion[];
  readonly confirmed: boolean;
  readonly steps: Steps;
}

/** Collections that point to others are deleted first; cycles are broken up before. */
async function runDeletions({ admin, project, deletions, confirmed, steps }: Deleting): Promise<void> {
  const { collections } = admin.project(project);
  const left = new Map(deletions.map(({ definition }) => [String(definition.id), definition]));
  while (left.size > 0) {
    const pointedTo = new Set([...left.values()].flatMap((definition) => [...targetsOf(definition)]));
    const free = [...left.values()].filter(({ id }) => !pointedTo.has(String(id)));
    if (free.length === 0) {
      for (const definition of left.values()) {
        const cut = withoutFields(definition, relationsOutside(definition, new Set()));
        await steps.run('changed', cut, () =>
          collections.change(String(cut.id), cut as unknown as Definition, confirm(confirmed)),
        );
      }
    }
    for (const definition of free.length > 0 ? free : [...left.values()]) {
      const id = String(definition.id);
      await steps.run('deleted', definition, () => collections.delete(id, confirm(confirmed)));
      left.delete(id);
    }
  }
}

const confirm = (confirmed: boolean) => (confirmed ? { confirm: 'destructive' as const } : {});
