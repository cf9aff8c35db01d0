import type { JsonObject } from '../../model/json.ts';
import { CommandFailure } from '../command.ts';
import type { Target } from '../target/target.ts';
import { relationsOutside, targetsOf, withoutFields } from './definition.ts';
import type { ApplyPlan, Deletion, ProjectPlan } from './plan.ts';

/**
 * Does what a plan says. Each collection's change is all or nothing, the whole is not: should one fail, those
 * before it stay, and applying the file again goes on from there.
 */
export async function runPlan(target: Target, plan: ApplyPlan, confirmed: boolean): Promise<void> {
  const { id } = plan.project;
  await runProject(target, plan.project);
  const there = new Set((await target.listCollections(id)).map((definition) => String(definition.id)));
  const unfinished: JsonObject[] = [];
  for (const definition of plan.creations) {
    const early = relationsOutside(definition, there);
    await named(definition, () => target.createCollection(id, withoutFields(definition, early)));
    there.add(String(definition.id));
    if (early.size > 0) unfinished.push(definition);
  }
  for (const change of plan.changes) {
    await named(change, () => target.changeCollection(id, change.id, change.raw, confirmed));
  }
  for (const definition of unfinished) {
    await named(definition, () => target.changeCollection(id, String(definition.id), definition, confirmed));
  }
  await runDeletions(target, id, plan.deletions, confirmed);
}

async function runProject(target: Target, { id, isNew, change }: ProjectPlan): Promise<void> {
  if (isNew) await target.createProject({ id, ...change });
  else if (Object.keys(change).length > 0) await target.updateProject(id, change);
}

/** Those that point to others go first; a circle of them is cut before. */
async function runDeletions(
  target: Target,
  project: string,
  deletions: readonly Deletion[],
  confirmed: boolean,
): Promise<void> {
  const left = new Map(deletions.map(({ definition }) => [String(definition.id), definition]));
  while (left.size > 0) {
    const pointedTo = new Set([...left.values()].flatMap((definition) => [...targetsOf(definition)]));
    const free = [...left.values()].filter(({ id }) => !pointedTo.has(String(id)));
    if (free.length === 0) {
      for (const definition of left.values()) {
        const cut = withoutFields(definition, relationsOutside(definition, new Set()));
        await named(cut, () => target.changeCollection(project, String(cut.id), cut, confirmed));
      }
    }
    for (const definition of free.length > 0 ? free : [...left.values()]) {
      const id = String(definition.id);
      await named(definition, () => target.deleteCollection(project, id, confirmed));
      left.delete(id);
    }
  }
}

/** A refusal says which collection it is about. */
async function named(what: { readonly id?: unknown }, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    throw new CommandFailure(`${String(what.id)}: ${error.message}`);
  }
}
