import type { Field } from '../../model/field.ts';
import { fieldType } from '../../model/field-types.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Usable } from '../audience.ts';

/** Values that a project's own rules allow, for examples. */

const exampleValue = (field: Field): Json | undefined => field.default ?? fieldType(field).example(field);

/** What Create could be sent: all that is required, and a few more. */
export function exampleRecord({ definition }: Pick<Usable, 'definition'>): JsonObject {
  const fields = [...definition.fields.values()];
  const known = fields.filter((field) => !field.required && field.type !== 'relation' && !field.unique);
  const more = known.filter((field) => exampleValue(field) !== undefined).slice(0, 3);
  return pick(fields.filter((field) => field.required || more.includes(field)));
}

/** What Update could be sent. */
export function exampleChange({ definition }: Usable): JsonObject {
  const fields = [...definition.fields.values()];
  const one =
    fields.find(({ type, unique }) => (type === 'number' || type === 'boolean') && !unique) ?? fields[0];
  return one ? pick([one]) : {};
}

function pick(fields: readonly Field[]): JsonObject {
  const values = fields.map((field) => [field.name, exampleValue(field) ?? '…'] as const);
  return Object.fromEntries(values);
}

export interface ExampleQuery {
  /** As it stands in an address. */
  readonly text: string;
  /** The same for the client. */
  readonly where: JsonObject;
  readonly sort: string;
}

/** A filter and an order that make sense here. */
export function exampleQuery({ definition }: Usable): ExampleQuery {
  const fields = [...definition.fields.values()];
  const number = fields.find(({ type }) => type === 'number');
  const choice = fields.find((field) => field.type === 'text' && field.options?.length);
  const texts: string[] = [];
  const where: Record<string, Json> = {};
  if (choice?.type === 'text') {
    const option = choice.options?.[0] ?? '';
    where[choice.name] = option;
    texts.push(`${choice.name}=${inAddress(option)}`);
  }
  if (number) {
    const least = exampleValue(number) ?? 10;
    where[number.name] = { '>=': least };
    texts.push(`${number.name}>=${least}`);
  }
  const sort = number ? `-${number.name}` : '-_createdAt';
  return { text: [...texts, `sort=${sort}`].join('&'), where, sort };
}

/** A comma would be one between two values; an apostrophe would end the address in code. */
function inAddress(value: string): string {
  return encodeURIComponent(value.replaceAll(',', '\\,')).replaceAll("'", '%27');
}

/** A field that distinct may be asked for: best one that holds few values. */
export function exampleDistinct({ definition, distinctFields }: Usable): string {
  const good = distinctFields.find((name) => {
    const field = definition.fields.get(name);
    return field?.type === 'list' || field?.type === 'relation' || (field?.type === 'text' && field.options);
  });
  return good ?? distinctFields[0] ?? '_id';
}
