import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';

/** Functions for definitions as they are in a file. */

/** A map, as a field may be named `constructor`. */
export function fieldsOf({ fields }: JsonObject): ReadonlyMap<string, JsonObject> {
  return new Map(Object.entries(isJsonObject(fields) ? fields : {}) as [string, JsonObject][]);
}

/** The collections that a definition's relations point to, except itself. */
export function targetsOf(definition: JsonObject): Set<string> {
  const targets = [...fieldsOf(definition).values()].flatMap(({ type, to }) =>
    type === 'relation' ? [String(to)] : [],
  );
  return new Set(targets.filter((to) => to !== definition.id));
}

/** For a new collection, which has no former names. */
export function withoutRenames(definition: JsonObject): JsonObject {
  if (!isJsonObject(definition.fields)) return definition;
  const fields = Object.entries(definition.fields).map(([name, field]) => {
    if (!isJsonObject(field)) return [name, field] as const;
    const { renamedFrom: _, ...rest } = field;
    return [name, rest] as const;
  });
  return { ...definition, fields: Object.fromEntries(fields) };
}

/** Removes fields, and what refers to them elsewhere in the definition. */
export function withoutFields(definition: JsonObject, dropped: ReadonlySet<string>): JsonObject {
  if (dropped.size === 0) return definition;
  const fields = [...fieldsOf(definition)].filter(([name]) => !dropped.has(name));
  return { ...withoutMentions(definition, dropped), fields: Object.fromEntries(fields) };
}

/** Removes what refers to fields outside of `fields`. */
export function withoutMentions(definition: JsonObject, dropped: ReadonlySet<string>): JsonObject {
  const indexes = Array.isArray(definition.indexes) ? (definition.indexes as readonly JsonObject[]) : [];
  const names = (value: Json | undefined) => (Array.isArray(value) ? (value as readonly string[]) : []);
  const left = indexes.filter((index) => !names(index.fields).some((name) => dropped.has(name)));
  const api = isJsonObject(definition.api) ? definition.api : {};
  const methods = isJsonObject(api.methods) ? api.methods : {};
  const distinct = isJsonObject(methods.distinct) ? methods.distinct : undefined;
  return {
    ...definition,
    indexes: left,
    ...(distinct?.fields !== undefined && {
      api: {
        ...api,
        methods: {
          ...methods,
          distinct: { ...distinct, fields: names(distinct.fields).filter((name) => !dropped.has(name)) },
        },
      },
    }),
  };
}

/** The relations to collections that do not exist. */
export function relationsOutside(definition: JsonObject, there: ReadonlySet<string>): Set<string> {
  const outside = [...fieldsOf(definition)].filter(
    ([, { type, to }]) => type === 'relation' && to !== definition.id && !there.has(String(to)),
  );
  return new Set(outside.map(([name]) => name));
}

/** Collections that others point to come first, except within cycles. */
export function inDependencyOrder(definitions: readonly JsonObject[]): JsonObject[] {
  const waiting = new Map(definitions.map((definition) => [String(definition.id), definition]));
  const ordered: JsonObject[] = [];
  while (waiting.size > 0) {
    const free = [...waiting.values()].filter((one) => ![...targetsOf(one)].some((to) => waiting.has(to)));
    const next = free.length > 0 ? free : [...waiting.values()].slice(0, 1);
    for (const definition of next) {
      ordered.push(definition);
      waiting.delete(String(definition.id));
    }
  }
  return ordered;
}
