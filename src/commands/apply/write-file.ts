import { stringLiteral } from '../../describe/string-literal.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { fieldsOf, inDependencyOrder } from './definition.ts';

/** The definition file of a project, from the responses of the management API. */
export function writeDefinitionFile(
  { id = '', name = '', auth = {}, changes }: JsonObject,
  collections: readonly JsonObject[],
  language: 'json' | 'typescript',
): string {
  const project: JsonObject = {
    ...{ id, name, auth },
    ...(changes !== undefined && { changes }),
    collections: inDependencyOrder(collections).map(tidy),
  };
  if (language === 'json') return `${JSON.stringify(project, null, 2)}\n`;
  return `import { defineProject } from 'vitrine/define';\n\nexport default defineProject(${literal(project, '')});\n`;
}

/** Leaves out defaults, and puts the most important keys first. */
function tidy({ id = '', name = '', fields, indexes, api }: JsonObject): JsonObject {
  const { access = 'user', methods = {} } = isJsonObject(api) ? api : {};
  const tidied = [...fieldsOf({ fields: fields ?? {} })].map(([field, rules]) => [field, tidyField(rules)]);
  return {
    id,
    ...(name !== id && { name }),
    fields: Object.fromEntries(tidied),
    ...(Array.isArray(indexes) && indexes.length > 0 && { indexes }),
    api: { access, ...(Object.keys(methods as JsonObject).length > 0 && { methods }) },
  };
}

function tidyField({ type = '', to, kind, onDelete, ...rest }: JsonObject): JsonObject {
  return {
    type,
    ...(to !== undefined && { to }),
    ...(kind !== undefined && kind !== 'single' && { kind }),
    ...(onDelete !== undefined && onDelete !== 'clear' && { onDelete }),
    ...rest,
  };
}

const plainKey = /^[A-Za-z_$][\w$]*$/;
const widest = 100;

/** A literal in the usual style: on one line if it fits. */
function literal(value: Json, indent: string): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts: string[] = Array.isArray(value)
    ? value.map((item: Json) => literal(item, `${indent}  `))
    : Object.entries(value as JsonObject).map(
        ([key, item]) => `${plainKey.test(key) ? key : stringLiteral(key)}: ${literal(item, `${indent}  `)}`,
      );
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' '];
  if (parts.length === 0) return `${open}${close}`;
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (line.length + indent.length <= widest && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${indent}  ${part},\n`).join('')}${indent}${close}`;
}
