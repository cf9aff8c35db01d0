import { Failure, Issues } from '../failure.ts';
import type { Renames } from './carry.ts';
import type { Collection } from './collection.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { hints } from './nearest.ts';
import { type ReadOptions, readCollection } from './read-collection.ts';

export interface ReadChange {
  readonly to: Collection;
  readonly renames: Renames;
}

/** Reads a whole definition that replaces another. `renamedFrom` in a field is its previous name. */
export function readChange(
  raw: JsonObject,
  from: Collection,
  others: ReadonlySet<string>,
  { mostFields }: Pick<ReadOptions, 'mostFields'> = {},
): ReadChange {
  const renames = new Map<string, string>();
  const issues = new Issues();
  const fields = isJsonObject(raw.fields) ? raw.fields : {};
  const hint = hints([...from.fields.keys()]);
  const plain: Record<string, Json> = {};
  for (const [name, definition] of Object.entries(fields)) {
    if (!isJsonObject(definition) || definition.renamedFrom === undefined) {
      plain[name] = definition;
      continue;
    }
    const { renamedFrom, ...rest } = definition;
    plain[name] = rest;
    const issue = readRename(name, renamedFrom, { from, fields, renames, hint });
    if (issue) issues.note(`fields.${name}.renamedFrom`, issue);
  }
  const to = collectFaults(issues, () =>
    readCollection(isJsonObject(raw.fields) ? { ...raw, fields: plain } : raw, others, {
      ...(mostFields !== undefined && { mostFields }),
      hasField: (name) => from.fields.has(name),
    }),
  );
  return { to, renames };
}

/** When a collection is renamed, its relations to itself follow. */
export function followRename(from: Collection, id: string): Collection {
  if (from.id === id) return from;
  const fields = [...from.fields].map(([name, field]) => {
    const own = field.type === 'relation' && field.to === from.id;
    return [name, own ? { ...field, to: id } : field] as const;
  });
  return { ...from, fields: new Map(fields) };
}

interface Renaming {
  readonly from: Collection;
  readonly fields: JsonObject;
  readonly renames: Map<string, string>;
  hint(name: string): string;
}

/** Records the rename, or returns what is wrong with it. One that was already done is ignored. */
function readRename(
  name: string,
  old: Json | undefined,
  { from, fields, renames, hint }: Renaming,
): string | undefined {
  if (typeof old !== 'string') return 'must be the name of a field';
  if (old === name) return 'must be another name than the field has now';
  if (!from.fields.has(old)) {
    return from.fields.has(name) ? undefined : `there is no field '${old}'${hint(old)}`;
  }
  if (from.fields.has(name)) {
    if (isRound(name, fields)) {
      return `'${name}' and '${old}' can't change places at once: rename one to a third name, and back in a second change`;
    }
    const done = Object.hasOwn(fields, old); // there is a new field with the old name by now
    return done ? undefined : `there is a field '${name}' already: '${old}' can't become it`;
  }
  if (Object.hasOwn(fields, old)) return `'${old}' is still there: it can't be another field too`;
  if ([...renames.values()].includes(old)) return `'${old}' became another field already`;
  renames.set(name, old);
  return undefined;
}

/** Whether following `renamedFrom` leads back to the same field. */
function isRound(name: string, fields: JsonObject): boolean {
  const passed = new Set<Json | undefined>();
  for (let at: Json | undefined = name; typeof at === 'string' && !passed.has(at); ) {
    passed.add(at);
    const field: Json | undefined = Object.hasOwn(fields, at) ? fields[at] : undefined;
    at = isJsonObject(field) ? field.renamedFrom : undefined;
    if (at === name) return true;
  }
  return false;
}

function collectFaults<T>(issues: Issues, read: () => T): T {
  let result: T;
  try {
    result = read();
  } catch (error) {
    if (!(error instanceof Failure) || error.issues.length === 0) throw error;
    issues.add(error.issues);
    issues.done();
    throw error;
  }
  issues.done();
  return result;
}
