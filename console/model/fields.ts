import type { Definition, Field } from '../../client/admin.ts';
import type { Json } from '../../client/client.ts';
import type { Operator } from './list-query.ts';

export type Values = Readonly<Record<string, Json>>;
export interface AnyRecord extends Values {
  readonly _id: string;
  readonly _createdAt: string;
  readonly _updatedAt: string;
}

/** A field of a definition, with its name. */
export interface NamedField extends Field {
  readonly name: string;
}

const service = (name: string, type: string): NamedField => ({ name, type });
export const serviceFields: readonly NamedField[] = [
  service('_id', 'id'),
  service('_createdAt', 'datetime'),
  service('_updatedAt', 'datetime'),
];
export const bindingFields: readonly NamedField[] = [service('_owner', 'id'), service('_workspace', 'id')];

export const fieldsOf = ({ fields = {} }: Definition): NamedField[] =>
  Object.entries(fields).map(([name, field]) => ({ ...field, name }));

export const findField = (definition: Definition, name: string): NamedField | undefined =>
  [...fieldsOf(definition), ...serviceFields, ...bindingFields].find((field) => field.name === name);

export const labelOfField = ({ name, label }: NamedField): string => label ?? serviceLabels[name] ?? name;

const serviceLabels: Readonly<Record<string, string>> = {
  _id: 'Id',
  _createdAt: 'Created',
  _updatedAt: 'Changed',
  _owner: 'Owner',
  _workspace: 'Workspace',
};

export const isPlural = ({ type, kind }: NamedField) =>
  type === 'list' || (type === 'relation' && kind === 'multiple');

export const relationTarget = ({ type, to }: NamedField): string | undefined =>
  type === 'relation' && typeof to === 'string' ? to : undefined;

export const optionsOf = ({ options }: Field): readonly string[] | undefined =>
  Array.isArray(options) ? (options as readonly string[]) : undefined;

/** The items of a list, as a field. */
export function itemField({ name, of }: NamedField): NamedField {
  const item =
    typeof of === 'object' && of !== null && !Array.isArray(of) ? (of as unknown as Field) : undefined;
  return { ...(item ?? { type: 'text' }), name };
}

/** Whether the field holds a datetime, or a list of them. */
export const isMoment = (field: NamedField) =>
  (field.type === 'list' ? itemField(field) : field).type === 'datetime';

/** The operators that a filter on this field can use. */
export function operatorsOf(field: NamedField): readonly Operator[] {
  switch (field.type) {
    case 'number':
      return ['=', '!=', '>', '>=', '<', '<='];
    case 'datetime':
      return ['>=', '<=', '>', '<', '=', '!='];
    default:
      return ['=', '!='];
  }
}

/** Lists and multiple relations have no order; the API does not sort by owner or workspace. */
export const isSortable = (field: NamedField) =>
  !isPlural(field) && field.name !== '_owner' && field.name !== '_workspace';

/** Whether a filter on this field, or a sort by it, can use an index. */
export function isIndexed(definition: Definition, name: string): boolean {
  if (name.startsWith('_')) return true;
  const field = definition.fields?.[name];
  if (!field || field.index || field.unique || field.type === 'relation' || field.type === 'list')
    return true;
  return (definition.indexes ?? []).some(({ fields }) => fields[0] === name);
}

/** The field that people know a record by. */
export function labelField(definition: Definition | undefined): string | undefined {
  if (!definition) return undefined;
  const texts = fieldsOf(definition).filter(({ type }) => type === 'text' || type === 'email');
  const wanted = ['name', 'title', 'label', 'subject', 'email'];
  for (const name of wanted) {
    const found = texts.find((field) => field.name.toLowerCase() === name);
    if (found) return found.name;
  }
  return (texts.find(({ required }) => required) ?? texts[0])?.name;
}

export const emptyValue = (field: NamedField): Json => (isPlural(field) ? [] : null);

/** Compares as JSON; unset and null are the same. */
export const sameValue = (a: Json | undefined, b: Json | undefined): boolean =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** The values that a new record starts with. */
export function blankValues(definition: Definition): Values {
  return Object.fromEntries(
    fieldsOf(definition).map((field) => [field.name, field.default ?? emptyValue(field)]),
  );
}

/** The value that a form shows for a field. A change to null clears it. */
export const shownValue = (name: string, base: Values, changes: Values): Json =>
  (name in changes ? changes[name] : base[name]) ?? null;

/** The text that a control shows for a value. */
export const textOf = (value: Json | undefined): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
