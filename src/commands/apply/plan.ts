import { isDeepStrictEqual } from 'node:util';
import { type Admin, type Definition, VitrineError } from '../../../client/admin.ts';
import { Failure } from '../../failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import {
  readProfile,
  readStoredProfile,
  withoutRenames as withoutFieldRenames,
  writeProfile,
} from '../../model/profile.ts';
import { readChange } from '../../model/read-change.ts';
import { readStoredCollection } from '../../model/read-collection.ts';
import { type DiffStep, diffCollections } from '../../model/schema-diff.ts';
import { writeCollection } from '../../model/write-collection.ts';
import type { Contradiction } from '../../store/schema-plans.ts';
import type { Api } from '../api/open-api.ts';
import { findProject, listCollections } from '../api/projects.ts';
import { CommandFailure } from '../command.ts';
import {
  fieldsOf,
  inDependencyOrder,
  relationsOutside,
  withoutMentions,
  withoutRenames,
} from './definition.ts';
import type { ProjectFile } from './definition-file.ts';

/** Everything to do so that a project matches a file. */
export interface ApplyPlan {
  readonly project: ProjectPlan;
  /** In the order in which they can be created. */
  readonly creations: readonly JsonObject[];
  readonly changes: readonly CollectionChange[];
  readonly deletions: readonly Deletion[];
}

export interface ProjectPlan {
  readonly id: string;
  readonly isNew: boolean;
  /** For an existing project: the settings that change. */
  readonly change: JsonObject;
  readonly from: JsonObject;
  /** Profile values that users lose. */
  readonly losses: readonly DiffStep[];
}

export interface CollectionChange {
  readonly id: string;
  /** Both in full, including defaults. */
  readonly from: JsonObject;
  readonly to: JsonObject;
  /** As it is in the file, with `renamedFrom`. */
  readonly raw: JsonObject;
  readonly records: number;
  readonly steps: readonly PlannedStep[];
  readonly contradiction?: Contradiction;
}

export interface PlannedStep extends DiffStep {
  /** How many records it affects. */
  readonly records: number;
}

export interface Deletion {
  readonly definition: JsonObject;
  readonly records: number;
}

export function isPending({ project, creations, changes, deletions }: ApplyPlan): boolean {
  const own = project.isNew || Object.keys(project.change).length > 0;
  return own || creations.length + changes.length + deletions.length > 0;
}

export function isDestructive({ project, changes, deletions }: ApplyPlan): boolean {
  if (project.losses.length > 0) return true;
  return deletions.length > 0 || changes.some(({ steps }) => steps.some(({ destructive }) => destructive));
}

export async function makePlan({ admin }: Api, file: ProjectFile): Promise<ApplyPlan> {
  const found = await findProject(admin, file.id);
  const there = found ? await listCollections(admin, file.id) : [];
  const current = new Map(there.map((definition) => [String(definition.id), definition]));
  const fresh = [...file.collections]
    .filter(([id]) => !current.has(id))
    .map(([, raw]) => withoutRenames(raw));
  const changes: CollectionChange[] = [];
  for (const [id, raw] of file.collections) {
    const from = current.get(id);
    const change = from && (await planChange(admin, file, from, raw, new Set(current.keys())));
    if (change) changes.push(change);
  }
  const gone = there.filter(({ id }) => !file.collections.has(String(id)));
  const deletions = gone.map(async (definition) => {
    return { definition, records: await countRecords(admin, file.id, String(definition.id)) };
  });
  return {
    project: planProject(file, found),
    creations: inDependencyOrder(fresh),
    changes,
    deletions: await Promise.all(deletions),
  };
}

function planProject(
  { id, name, auth = {}, changes }: ProjectFile,
  found: JsonObject | undefined,
): ProjectPlan {
  const now = (found?.auth ?? {}) as JsonObject;
  requireSecrets(providersIn(auth), providersIn(now));
  if (!found) {
    // A new project has no former field names.
    const { profile } = auth;
    const own = isJsonObject(profile) ? { ...auth, profile: withoutFieldRenames(profile) } : auth;
    const change = {
      ...(name !== undefined && { name }),
      ...(Object.keys(auth).length > 0 && { auth: own }),
      ...(changes && { changes: { ...changes } }),
    };
    return { id, isNew: true, change, from: {}, losses: [] };
  }
  const others = Object.entries(auth).filter(
    ([key, value]) => !isDeepStrictEqual(now[key], settled(now, key, value)),
  );
  const change = {
    ...(name !== undefined && name !== found.name && { name }),
    ...(others.length > 0 && { auth: Object.fromEntries(others) }),
    ...(changes && !isDeepStrictEqual(changes, found.changes) && { changes: { ...changes } }),
  };
  return { id, isNew: false, change, from: found, losses: profileLosses(now, auth.profile) };
}

const providersIn = ({ providers }: JsonObject): readonly JsonObject[] =>
  Array.isArray(providers) ? providers.filter(isJsonObject) : [];

/** The same check as in the instance, so that a plan that it would refuse is not shown. */
function requireSecrets(wanted: readonly JsonObject[], known: readonly JsonObject[]): void {
  const faults = wanted.flatMap(({ id, issuer, clientSecret }, index) => {
    const isKept = known.some((one) => one.id === id && one.issuer === issuer);
    return isKept || typeof clientSecret === 'string'
      ? []
      : [`auth.providers[${index}].clientSecret: is required`];
  });
  if (faults.length > 0) throw new CommandFailure(faults.join('; '));
}

/** By the same rules as for fields of collections, whether or not any user has a value. */
function profileLosses(now: JsonObject, wanted: Json | undefined): DiffStep[] {
  if (wanted === undefined) return [];
  const from = readStoredProfile((now.profile ?? {}) as JsonObject);
  const { to, renames } = readProfile(wanted, from);
  const steps = diffCollections(from.collection, to.collection, renames);
  return steps.filter(({ destructive }) => destructive);
}

/** A setting as the project would store it: profile fields in full, and renamed ones with the new name. */
function settled(now: JsonObject, key: string, value: Json): Json {
  // Secrets are not returned and can't be compared: a new secret alone is not seen as a change.
  if (key === 'providers') return withoutSecrets(value);
  if (key !== 'profile') return value;
  const from = readStoredProfile((now.profile ?? {}) as JsonObject);
  return writeProfile(readProfile(value, from).to);
}

function withoutSecrets(value: Json): Json {
  if (!Array.isArray(value)) return value;
  return value.map((one: Json) => {
    if (!isJsonObject(one)) return one;
    const { clientSecret: _, ...rest } = one;
    return { ...rest, name: rest.name ?? rest.id ?? null };
  });
}

/** undefined: the collection matches the file. */
async function planChange(
  admin: Admin,
  file: ProjectFile,
  current: JsonObject,
  raw: JsonObject,
  there: ReadonlySet<string>,
): Promise<CollectionChange | undefined> {
  const id = String(current.id);
  const everything = new Set([...there, ...file.collections.keys()]);
  try {
    const from = readStoredCollection(current, everything);
    const { to, renames } = readChange(raw, from, everything, { mostFields: Number.POSITIVE_INFINITY });
    const steps = diffCollections(from, to, renames);
    if (steps.length === 0) return undefined;
    const { collections } = admin.project(file.id);
    const reported = await collections.plan(id, possibleNow(raw, current, there) as unknown as Definition);
    const records = await countRecords(admin, file.id, id);
    const contradiction = reported.contradiction ?? (await findUnfilled(admin, file.id, raw, there));
    const touched = (step: DiffStep) =>
      reported.steps.find(({ kind, field }) => kind === step.kind && field === step.field)?.records ??
      records;
    return {
      id,
      from: writeCollection(from),
      to: writeCollection(to),
      raw,
      records,
      steps: steps.map((step) => ({ ...step, records: touched(step) })),
      ...(contradiction && { contradiction }),
    };
  } catch (error) {
    if (!(error instanceof Failure || (error instanceof VitrineError && error.status > 0))) throw error;
    throw new CommandFailure(`${id}: ${error.message}`);
  }
}

/**
 * Of a required relation to a collection that does not exist yet, whose change can't be checked by a dry run: no record can have
 * a value for it.
 */
async function findUnfilled(
  admin: Admin,
  project: string,
  raw: JsonObject,
  there: ReadonlySet<string>,
): Promise<Contradiction | undefined> {
  const early = relationsOutside(raw, there);
  const [name] = [...fieldsOf(raw)].flatMap(([field, { required }]) =>
    required === true && early.has(field) ? [field] : [],
  );
  if (name === undefined) return undefined;
  const found = await admin.records(project).collection(String(raw.id)).list({ perPage: 3 });
  const reason = `${name}: is required`;
  return found.total === 0
    ? undefined
    : { records: found.total, first: found.found.map(({ _id }) => ({ id: String(_id), reason })) };
}

async function countRecords(admin: Admin, project: string, collection: string): Promise<number> {
  return (await admin.project(project).collections.stats(collection)).records;
}

/** The change without relations to collections that do not exist yet, so that the rest can be checked by a dry run. */
function possibleNow(raw: JsonObject, current: JsonObject, there: ReadonlySet<string>): JsonObject {
  const early = relationsOutside(raw, there);
  if (early.size === 0) return raw;
  const fields = [...fieldsOf(raw)].flatMap(([name, field]) => {
    if (!early.has(name)) return [[name, field] as const];
    const { renamedFrom } = field;
    const origin = typeof renamedFrom === 'string' && !fieldsOf(current).has(name) ? renamedFrom : name;
    const old = fieldsOf(current).get(origin);
    return old ? [[name, { ...old, ...(origin !== name && { renamedFrom: origin }) }] as const] : [];
  });
  // Without indexes on such fields, too: until then the field may be, for example, a list, which can't have an index.
  return { ...withoutMentions(raw, early), fields: Object.fromEntries(fields) };
}
