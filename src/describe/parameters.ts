import type { Field } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import { idSchema } from '../model/fields/relation.ts';
import { instantPattern } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import type { Usable } from './audience.ts';
import { withSharedPatterns } from './shared-patterns.ts';

/** The query parameters of one collection's reads, as OpenAPI components: one for each field and operator. */

/** Filter operators that can end a parameter's name, with their suffix in the name of the component. */
const endings = { '=': '', '!=': '.ne', '>=': '.gte', '<=': '.lte' } as const;
type Ending = keyof typeof endings;

export interface FilterParameter {
  /** The name of the component. */
  readonly key: string;
  /** The name of the field. */
  readonly name: string;
  readonly parameter: JsonObject;
}

interface Filterable {
  readonly name: string;
  readonly value: JsonObject;
  readonly takes: readonly string[];
  /** Whether `=` accepts several values, separated by commas. */
  readonly several: boolean;
  /** Whether it can be unset. */
  readonly unset: boolean;
}

/** `binding`: whether `_owner` and `_workspace` are included. */
export function filterParameters({ definition }: Usable, binding: boolean): FilterParameter[] {
  const instant = {
    value: withSharedPatterns({ type: 'string', pattern: instantPattern }),
    takes: ['>=', '<='],
    several: false,
    unset: false,
  };
  const id = { value: idSchema, takes: ['=', '!='], several: true };
  const filterable: Filterable[] = [
    ...[...definition.fields.values()].map(ofField),
    { ...id, name: '_id', unset: false },
    { ...instant, name: '_createdAt' },
    { ...instant, name: '_updatedAt' },
    ...(binding ? ['_owner', '_workspace'].map((name) => ({ ...id, name, unset: true })) : []),
  ];
  return filterable.flatMap((one) =>
    (Object.keys(endings) as Ending[])
      .filter((operator) => one.takes.includes(operator) || (one.unset && isEqual(operator)))
      .map((operator) => ({
        // The service's own fields are the same in all collections.
        key: `${one.name.startsWith('_') ? '_record' : definition.id}.filter.${one.name}${endings[operator]}`,
        name: one.name,
        parameter: parameterOf(one, operator),
      })),
  );
}

const isEqual = (operator: Ending) => operator === '=' || operator === '!=';

function ofField(field: Field): Filterable {
  const type = fieldType(field);
  const { operators, alternatives } = type.filter(field);
  return {
    name: field.name,
    value: withSharedPatterns(type.schema.filtered(field)),
    takes: operators,
    several: alternatives,
    unset: true,
  };
}

function parameterOf({ name, value, takes, several, unset }: Filterable, operator: Ending): JsonObject {
  const empty = unset && isEqual(operator);
  const list = several && isEqual(operator);
  const onlyEmpty = !takes.includes(operator);
  return {
    name: operator === '=' ? name : `${name}${operator}`,
    in: 'query',
    description: wordsOf(name, operator, { empty, onlyEmpty, list }),
    ...(empty && { allowEmptyValue: true }),
    ...(list && { style: 'form', explode: false }),
    schema: onlyEmpty
      ? { type: 'string', maxLength: 0 }
      : list
        ? { type: 'array', items: value, minItems: 1 }
        : value,
  };
}

interface Wording {
  readonly empty: boolean;
  readonly onlyEmpty: boolean;
  readonly list: boolean;
}

function wordsOf(name: string, operator: Ending, { empty, onlyEmpty, list }: Wording): string {
  const set = operator === '!=' ? `${name} is set.` : `${name} is unset.`;
  if (onlyEmpty) return `Empty: ${set}`;
  const [one, several] = {
    '=': ['is this', 'is one of these'],
    '!=': ['is not this, or is unset', 'is none of these, or is unset'],
    '>=': [`is at least this; ${name}> is above it`, ''],
    '<=': [`is at most this; ${name}< is below it`, ''],
  }[operator];
  const comma = list ? ' A comma inside a value is written \\,' : '';
  return `${name} ${list ? several : one}.${empty ? ` Empty: ${set}` : ''}${comma}`;
}

const names = (options: readonly string[]) => ({ type: 'array', items: { type: 'string', enum: options } });
const commas = { in: 'query', style: 'form', explode: false };

export function sortParameter({ definition }: Usable): JsonObject {
  const fields = [...definition.fields.values()].filter((field) => !fieldType(field).plural(field));
  const sortable = [...fields.map(({ name }) => name), '_id', '_createdAt', '_updatedAt'];
  return {
    name: 'sort',
    ...commas,
    description: 'Fields to sort by; a leading - means descending. Without it: _createdAt.',
    schema: { ...names(sortable.flatMap((name) => [name, `-${name}`])), minItems: 1, maxItems: 10 },
  };
}

export function fieldsParameter({ definition, seesBinding }: Usable): JsonObject {
  const service = ['_id', '_createdAt', '_updatedAt', ...(seesBinding ? ['_owner', '_workspace'] : [])];
  return {
    name: 'fields',
    ...commas,
    description: 'Fields to return; _id is always among them. Without it: all.',
    schema: { ...names([...definition.fields.keys(), ...service]), minItems: 1 },
  };
}

export function distinctParameter({ distinctFields }: Usable): JsonObject {
  return {
    name: 'fields',
    ...commas,
    required: true,
    description: 'Fields whose different values are returned.',
    schema: { ...names(distinctFields), minItems: 1 },
  };
}

/** `complete`: whether these are all paths. */
export function includeParameter(paths: readonly string[], complete: boolean): JsonObject {
  const items = complete ? { type: 'string', enum: paths } : { type: 'string' };
  return {
    name: 'include',
    ...commas,
    description: 'Relations whose records are returned under _include; a path follows up to three relations.',
    schema: { type: 'array', items, minItems: 1, maxItems: 20 },
  };
}
