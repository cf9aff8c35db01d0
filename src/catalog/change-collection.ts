import type { Authority } from '../access/authority.ts';
import { Failure, type Issue } from '../failure.ts';
import type { Renames } from '../model/carry.ts';
import type { Collection } from '../model/collection.ts';
import type { JsonObject } from '../model/json.ts';
import { followRename, readChange } from '../model/read-change.ts';
import { type DiffStep, diffCollections } from '../model/schema-diff.ts';
import { writeCollection } from '../model/write-collection.ts';
import type { ChangeAnswer, ChangePlan, Contradiction } from '../store/schema-plans.ts';
import type { Project } from './project.ts';
import { requireCollection } from './require-collection.ts';

export interface ChangeOptions {
  readonly dryRun: boolean;
  readonly confirmed: boolean;
  readonly mostFields: number;
  /** What has to hold still when the change is made. */
  readonly authority: Authority | undefined;
  progress(done: number, total: number): void;
}

/** A step of a change as it is reported: what it does, to what, and how many records it touches. */
export interface ReportedStep {
  readonly kind: string;
  readonly field?: string;
  readonly from?: string;
  readonly to?: string;
  readonly records: number;
}

export interface ChangeReport {
  readonly steps: readonly ReportedStep[];
  readonly destructive: boolean;
  /** Only in a dry run, and only where there are any. */
  readonly contradiction?: Contradiction;
}

export interface MadeChange {
  /** What the collection is now, or in a dry run would be. */
  readonly definition: Collection;
  readonly report: ChangeReport;
}

/** Brings a collection to another definition, or says what that would mean. */
export async function changeCollection(
  project: Project,
  id: string,
  raw: JsonObject,
  { dryRun, confirmed, mostFields, authority, progress }: ChangeOptions,
): Promise<MadeChange> {
  const from = requireCollection(project, id);
  const others = new Set([...project.schema.collections.keys()].filter((other) => other !== id));
  const { to, renames } = readChange(raw, from.definition, others, { mostFields });
  if (others.has(to.id))
    throw new Failure('conflict', [{ at: 'id', message: `there is a collection '${to.id}' already` }]);
  const steps = diffOf(from.definition, to, renames);
  // Indexes in another order stay as they are, unless their tables are made anew.
  const definition = steps.some(({ rebuild }) => rebuild) ? to : { ...to, indexes: from.definition.indexes };
  if (steps.length === 0) return { definition, report: { steps: [], destructive: false } };

  const plan: ChangePlan = {
    collection: from.ref,
    to: writeCollection(to),
    renames: [...renames],
    steps,
    authority,
    dryRun: true,
  };
  const destructive = steps.some((step) => step.destructive);
  if (destructive && !confirmed && !dryRun) {
    const lost = await project.store.changeCollection(plan, progress);
    throw new Failure('conflict', losses(steps, renames, lost));
  }
  const answer = await project.store.changeCollection({ ...plan, dryRun }, progress);
  const { contradiction } = answer;
  if (contradiction && !dryRun) throw new Failure('conflict', contradictionMessage(contradiction));
  const reported = steps.map((step) => reportStep(step, renames, answer));
  return {
    definition,
    report: { steps: reported, destructive, ...(contradiction && { contradiction }) },
  };
}

function diffOf(from: Collection, to: Collection, renames: Renames): DiffStep[] {
  const moved = from.id === to.id ? [] : diffCollections(from, { ...from, id: to.id }, new Map());
  return [...moved, ...diffCollections({ ...followRename(from, to.id), id: to.id }, to, renames)];
}

function reportStep(step: DiffStep, renames: Renames, answer: ChangeAnswer): ReportedStep {
  const { kind, field, from, to } = step;
  return {
    kind,
    ...(field !== undefined && { field }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    records: touched(step, renames, answer),
  };
}

function touched({ kind, field = '' }: DiffStep, renames: Renames, { held, total }: ChangeAnswer): number {
  switch (kind) {
    case 'removeField':
    case 'renameField':
    case 'changeType':
      return new Map(held).get(renames.get(field) ?? field) ?? 0;
    case 'renameCollection':
    case 'reorderFields':
    case 'changeSettings':
      return 0;
    case 'addField':
    case 'changeField':
    case 'addUnique':
    case 'dropUnique':
    case 'addIndex':
    case 'dropIndex':
      return total;
  }
}

function losses(steps: readonly DiffStep[], renames: Renames, { held }: ChangeAnswer): Issue[] {
  return steps
    .filter(({ destructive }) => destructive)
    .map(({ kind, field = '', from, to }) => {
      const count = new Map(held).get(renames.get(field) ?? field) ?? 0;
      const values = count === 1 ? 'its value in 1 record' : `its values in ${count} records`;
      const why = kind === 'removeField' ? '' : ` can't go from ${from} to ${to} and`;
      const message = `${values}${why} would be lost: repeat with ?confirm=destructive to do it anyway`;
      return { at: field, message };
    });
}

function contradictionMessage({ records, first }: Contradiction): string {
  // `; ` would begin another part of the message.
  const some = first.map(({ id, reason }) => `${id} (${reason.replaceAll('; ', ' and ')})`).join(', ');
  const [what, them] =
    records === 1 ? ['1 record contradicts', 'it'] : [`${records} records contradict`, 'them'];
  return `${what} the new definition, change ${them} first: ${some}${records > first.length ? ', …' : ''}`;
}
