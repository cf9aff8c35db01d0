import type { Field, ScalarField } from '../../model/field.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Usable } from '../audience.ts';

/** Values that a project's own rules allow, for examples. */

const someId = '01982f4e-7a3c-7b1e-9d52-3f0c8a6e4b17';

/** undefined where none is found: a text that must match a pattern. */
function exampleValue(field: Field | ScalarField): Json | undefined {
  if (field.default !== undefined) return field.default;
  switch (field.type) {
    case 'text':
      return (
        field.options?.[0] ?? (field.pattern === undefined ? exampleText(field, 'Winter tea') : undefined)
      );
    case 'content':
      return exampleText(field, 'A few words about it.');
    case 'email':
      return 'ann@example.com';
    case 'url':
      return 'https://example.com/page';
    case 'number':
      return exampleNumber(field.min, field.max, field.integer ?? false);
    case 'boolean':
      return true;
    case 'datetime':
      return field.min ?? field.max ?? '2026-01-02T03:04:05.000Z';
    case 'list':
      return wrapped(exampleValue(field.of), field.minItems);
    case 'relation':
      return field.kind === 'multiple' ? [someId] : someId;
  }
}

function exampleText(
  { minLength = 0, maxLength = 200 }: { minLength?: number; maxLength?: number },
  text: string,
) {
  return text.padEnd(minLength, '.').slice(0, maxLength);
}

function exampleNumber(min: number | undefined, max: number | undefined, integer: boolean): number {
  const wished = integer ? 10 : 12.5;
  const least = integer ? Math.ceil(min ?? wished) : (min ?? wished);
  return Math.min(Math.max(wished, least), integer ? Math.floor(max ?? wished) : (max ?? wished));
}

function wrapped(value: Json | undefined, minItems = 1): Json | undefined {
  return value === undefined || minItems > 1 ? undefined : [value];
}

/** What Create could be sent: all that is required, and a few more. */
export function exampleRecord({ definition }: Usable): JsonObject {
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
    texts.push(`${choice.name}=${encodeURIComponent(option)}`);
  }
  if (number) {
    const least = exampleValue(number) ?? 10;
    where[number.name] = { '>=': least };
    texts.push(`${number.name}>=${least}`);
  }
  const sort = number ? `-${number.name}` : '-_createdAt';
  return { text: [...texts, `sort=${sort}`].join('&'), where, sort };
}

/** A field that distinct may be asked for: best one that holds few values. */
export function exampleDistinct({ definition, distinctFields }: Usable): string {
  const good = distinctFields.find((name) => {
    const field = definition.fields.get(name);
    return field?.type === 'list' || field?.type === 'relation' || (field?.type === 'text' && field.options);
  });
  return good ?? distinctFields[0] ?? '_id';
}

export { someId };
