import { isJsonObject, type Json, type JsonObject } from '../src/model/json.ts';

/**
 * Does a value fit a JSON Schema? It reads the schema each time in place of compiling it, as the schemas of tests are
 * many and short-lived, and knows only what our documents say about answers; anything else it refuses to skip over.
 */

const silent = new Set(['description', 'title', 'x-vitrine-narrowed-by', 'default', 'minItems', 'maxItems']);
const formats: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};

/** The first place that does not fit, and why; undefined where all does. `root`: what $ref points into. */
export function misfit(value: Json, schema: Json, root: JsonObject, at = ''): string | undefined {
  if (!isJsonObject(schema)) return `${at}: there is no schema`;
  for (const keyword of Object.keys(schema)) {
    if (silent.has(keyword)) continue;
    const check = keywords[keyword];
    if (!check) return `${at}: the keyword ${keyword} is not known to the test`;
    const found = check(value, schema, root, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Keyword = (value: Json, schema: JsonObject, root: JsonObject, at: string) => string | undefined;

const keywords: Readonly<Record<string, Keyword>> = {
  $ref: (value, { $ref }, root, at) => misfit(value, resolve(String($ref), root), root, at),
  anyOf(value, { anyOf }, root, at) {
    const found = (anyOf as Json[]).map((one) => misfit(value, one, root, at));
    return found.includes(undefined) ? undefined : found.join(' or ');
  },
  type(value, { type }, _root, at) {
    const kind = kindOf(value);
    const fits = [type].flat().some((one) => one === kind || (one === 'number' && kind === 'integer'));
    return fits ? undefined : `${at}: is ${kind}, not ${type}`;
  },
  const: (value, schema, _root, at) =>
    value === schema.const ? undefined : `${at}: is ${JSON.stringify(value)}, not ${schema.const}`,
  enum: (value, schema, _root, at) =>
    (schema.enum as Json[]).includes(value) ? undefined : `${at}: ${JSON.stringify(value)} is no option`,
  properties(value, { properties }, root, at) {
    if (!isJsonObject(value)) return undefined;
    for (const [name, schema] of Object.entries(properties as JsonObject)) {
      const part = Object.hasOwn(value, name) ? value[name] : undefined;
      const found = part === undefined ? undefined : misfit(part, schema, root, `${at}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  },
  required(value, { required }, _root, at) {
    const missing = isJsonObject(value) && (required as string[]).find((name) => !Object.hasOwn(value, name));
    return missing ? `${at}.${missing}: is missing` : undefined;
  },
  additionalProperties(value, { additionalProperties, properties = {} }, root, at) {
    if (!isJsonObject(value)) return undefined;
    for (const [name, part] of Object.entries(value)) {
      if (Object.hasOwn(properties as JsonObject, name)) continue;
      if (additionalProperties === false) return `${at}.${name}: is not described`;
      const found = misfit(part, additionalProperties ?? null, root, `${at}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  },
  items(value, { items }, root, at) {
    if (!Array.isArray(value)) return undefined;
    for (const [index, item] of value.entries()) {
      const found = misfit(item as Json, items ?? null, root, `${at}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  },
  format(value, { format }, _root, at) {
    if (typeof value !== 'string' || formats[String(format)]?.test(value)) return undefined;
    return `${at}: '${value}' is no ${format}`;
  },
  minimum: (value, { minimum }, _root, at) =>
    typeof value === 'number' && value < Number(minimum) ? `${at}: is below ${minimum}` : undefined,
};

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function resolve(reference: string, root: JsonObject): Json {
  let value: Json = root;
  for (const part of reference.slice(2).split('/')) value = (value as JsonObject)[part] ?? null;
  return value;
}
