import { Failure, Issues, issuesWithin } from '../failure.ts';
import type { Renames } from './carry.ts';
import type { Collection } from './collection.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { readChange } from './read-change.ts';
import { readStoredCollection } from './read-collection.ts';
import { writeCollection } from './write-collection.ts';

/** The profile fields that a project defines for its users. */
export interface ProfileFields {
  /** The fields as a collection, so that they are read and validated by the same rules. */
  readonly collection: Collection;
  /** Fields that users may read but not set. */
  readonly servers: ReadonlySet<string>;
}

/** The key, which no field can have, under which a stored profile says which definitions it was written with. */
export const stampKey = '@';

const id = 'profile';

/** Reads definitions that were validated when they were saved. */
export function readStoredProfile(definitions: JsonObject): ProfileFields {
  const { plain, servers } = takeWriters(definitions, new Issues());
  return { collection: readStoredCollection({ id, fields: plain }, new Set()), servers };
}

/** Reads definitions that replace others. `renamedFrom` in a field is its previous name. */
export function readProfile(raw: Json, from: ProfileFields): { to: ProfileFields; renames: Renames } {
  const issues = new Issues();
  if (!isJsonObject(raw))
    throw new Failure('invalid', 'must be an object of field names and their definitions');
  const { plain, servers } = takeWriters(raw, issues);
  for (const [name, field] of Object.entries(plain)) {
    if (!isJsonObject(field)) continue;
    if (field.type === 'relation') issues.note(`${name}.type`, 'a profile has no relations');
    if (field.unique !== undefined) issues.note(`${name}.unique`, 'is not possible in a profile');
    if (servers.has(name) && field.required === true && field.default === undefined)
      issues.note(`${name}.default`, 'is required: users are made without the server');
  }
  issues.done();
  const { to, renames } = withoutPrefix(() => readChange({ id, fields: plain }, from.collection, new Set()));
  return { to: { collection: to, servers }, renames };
}

/** For definitions when it is not known what they replace. */
export function withoutRenames(raw: JsonObject): JsonObject {
  const fields = Object.entries(raw).map(([name, field]) => {
    if (!isJsonObject(field)) return [name, field] as const;
    const { renamedFrom: _, ...rest } = field;
    return [name, rest] as const;
  });
  return Object.fromEntries(fields);
}

/** The definitions as JSON that `readProfile` accepts. */
export function writeProfile({ collection, servers }: ProfileFields): JsonObject {
  const fields = Object.entries(writeCollection(collection).fields as JsonObject).map(([name, field]) => {
    return [name, servers.has(name) ? { ...(field as JsonObject), write: 'server' } : field] as const;
  });
  return Object.fromEntries(fields);
}

/** Separates `write`, which fields of collections do not have, from the definitions. */
function takeWriters(raw: JsonObject, issues: Issues): { plain: JsonObject; servers: Set<string> } {
  const servers = new Set<string>();
  const fields = Object.entries(raw).map(([name, field]) => {
    if (!isJsonObject(field) || field.write === undefined) return [name, field] as const;
    const { write, ...rest } = field;
    if (write === 'server') servers.add(name);
    else issues.note(`${name}.write`, "must be 'server', or left out");
    return [name, rest] as const;
  });
  return { plain: Object.fromEntries(fields), servers };
}

/** Faults are reported relative to the fields: `fields.plan.type` becomes `plan.type`. */
function withoutPrefix<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const issues = issuesWithin('', error).map(({ at, message }) => {
      return { at: at.replace(/^\.fields\.?/, ''), message };
    });
    throw new Failure('invalid', issues);
  }
}
