import type { Field } from '../../model/field.ts';
import { fieldType } from '../../model/field-types.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Usable } from '../audience.ts';

/** Example values that satisfy the rules of the project. */

const exampleValue = (field: Field): Json | undefined => field.default ?? fieldType(field).example(field);

/** An example body for Create: all required fields, and a few more. */
export function exampleRecord({ definition }: Pick<Usable, 'definition'>): JsonObject {
  const fields = [...definition.fields.values()];
  const known = fields.filter((field) => !field.required && field.type !== 'relation' && !field.unique);
  const more = known.filter((field) => exampleValue(field) !== undefined).slice(0, 3);
  return pick(fields.filter((field) => field.required || more.includes(field)));
}

/** An example body for Update. */
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
  /** As part of a URL. */
  readonly text: string;
  /** The same for the client. */
  readonly where: JsonObject;
  readonly sort: string;
}

/** A filter and an order that make sense for the collection. */
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

/** A comma would separate two values; an apostrophe would end the string literal in code. */
function inAddress(value: string): string {
  return encodeURIComponent(value.replaceAll(',', '\\,')).replaceAll("'", '%27');
}

/** A field that distinct allows, preferably one with few values. */
export function exampleDistinct({ definition, distinctFields }: Usable): string {
  const good = distinctFields.find((name) => {
    const field = definition.fields.get(name);
    return field?.type === 'list' || field?.type === 'relation' || (field?.type === 'text' && field.options);
  });
  return good ?? distinctFields[0] ?? '_id';
}
