import type { Json } from '../../src/model/json.ts';
import type { Dice } from '../reference/dice.ts';
import { type Definition, type Field, isMany } from './model.ts';

/** Random definitions that differ a little from one another, and values for them. */

const scalars = ['text', 'text', 'email', 'url', 'content', 'number', 'number', 'boolean', 'datetime'];
const names = [
  'title',
  'Order',
  'select',
  'rowid',
  'a',
  'x_1',
  'seq',
  'json',
  'owner',
  'constructor',
  'value',
];
const words = [
  'red',
  'Old',
  'a',
  'ab',
  'apple pie',
  'x@example.com',
  'https://example.com',
  '7',
  'true',
  'zz 1',
  '',
];
const numbers = [0, 1, 2, 7, -1, 2.5, 1e21, 1e-7, 100];
const pool: Record<string, readonly Json[]> = {
  text: words,
  content: words,
  email: ['x@example.com', 'X@example.com', 'y@example.org'],
  url: ['https://example.com', 'http://example.org/a'],
  number: numbers,
  boolean: [true, false],
  datetime: ['2026-01-01T00:00:00.000Z', '2025-06-01T12:30:00.500Z'],
};

function makeField(dice: Dice): Field {
  const kind = dice.below(10);
  const bare: Field =
    kind < 6
      ? { type: dice.pick(scalars) }
      : kind < 8
        ? { type: 'list', of: { type: dice.pick(scalars) } }
        : {
            type: 'relation',
            to: dice.pick(['others', 'others', 'more']),
            kind: dice.pick(['single', 'multiple']),
          };
  return dice.chance(35) ? withRule(dice, bare) : bare;
}

function withRule(dice: Dice, field: Field): Field {
  const rules: Record<string, Json>[] = [{ label: dice.pick(['A', 'B']) }, { required: true }];
  if (!isMany(field) && field.type !== 'content')
    rules.push({ unique: true }, { index: true }, { index: true });
  if (isMany(field)) rules.push({ maxItems: dice.pick([1, 2, 3]) }, { minItems: dice.pick([1, 2]) });
  if (field.type === 'list') {
    rules.push({ uniqueItems: true });
    rules.push({ of: { ...(field.of as Field), ...scalarRule(dice, (field.of as Field).type) } });
  }
  if (field.type === 'relation') rules.push({ onDelete: dice.pick(['clear', 'restrict', 'cascade']) });
  else if (field.type !== 'list') rules.push(scalarRule(dice, field.type), scalarRule(dice, field.type));
  return { ...field, ...dice.pick(rules) };
}

function scalarRule(dice: Dice, type: string): Record<string, Json> {
  if (type === 'number') return dice.pick([{ min: 0 }, { max: 10 }, { integer: true }]);
  if (type === 'text') {
    const rules = [{ maxLength: 5 }, { minLength: 1 }, { pattern: '^[a-zA-Z0-9 ]*$' }, { options: words }];
    return dice.pick<Record<string, Json>>(rules);
  }
  if (type === 'datetime') return dice.pick([{ min: '2025-12-01' }, { max: '2025-12-01T02:00:00+02:00' }]);
  return type === 'boolean' ? {} : { maxLength: dice.pick([4, 19, 100]) };
}

/** Without what a field of another type can't have. */
const bare = ({ renamedFrom, default: _, ...field }: Field): Field => ({ ...field });

export function makeDefinition(dice: Dice): Definition {
  const fields = Object.fromEntries(dice.some(names, 2, 5).map((name) => [name, makeField(dice)]));
  return withIndexes(dice, { id: 'things', fields, indexes: [], api: { access: 'public' } });
}

function withIndexes(dice: Dice, definition: Definition): Definition {
  const usable = Object.keys(definition.fields).filter((name) => {
    const field = definition.fields[name];
    return field && !isMany(field) && field.type !== 'content';
  });
  const chosen = dice.some(usable, 0, 2);
  const indexes = chosen.length === 2 ? [{ fields: chosen, unique: dice.chance(50) }] : [];
  return { ...definition, indexes };
}

/** The same definition with one to three differences. */
export function mutate(dice: Dice, old: Definition): Definition {
  const fields: Record<string, Field> = {};
  for (const [name, field] of Object.entries(old.fields)) fields[name] = bare(field);
  let next: Definition = { ...old, fields };
  for (let left = 1 + dice.below(3); left > 0; left--) {
    const free = names.filter(
      (name) => !Object.hasOwn(next.fields, name) && !Object.hasOwn(old.fields, name),
    );
    const name = dice.pick(Object.keys(next.fields));
    const field = next.fields[name];
    if (!field) continue;
    const { [name]: _, ...rest } = next.fields;
    const way = dice.below(12);
    if (way < 2 && free.length > 0)
      next = put(next, { ...next.fields, [dice.pick(free)]: withDefault(dice) });
    else if (way === 2 && Object.keys(rest).length > 0) next = put(next, rest);
    else if (way < 5 && free.length > 0 && Object.hasOwn(old.fields, name))
      next = put(next, { ...rest, [otherName(dice, name, free)]: { ...field, renamedFrom: name } });
    else if (way < 8)
      next = put(next, { ...next.fields, [name]: { ...retyped(dice, field), ...kept(field) } });
    else if (way < 11) next = put(next, { ...next.fields, [name]: withRule(dice, field) });
    else next = { ...next, fields: { ...next.fields, [name]: { ...bareType(field), ...kept(field) } } };
  }
  const gone = next.indexes.some((index) =>
    index.fields.some((name) => !Object.hasOwn(next.fields, name) || !isIndexable(next.fields[name])),
  );
  return gone || dice.chance(20) ? withIndexes(dice, next) : next;
}

/** A free one, or the same in other letters. */
function otherName(dice: Dice, name: string, free: readonly string[]): string {
  const turned = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  return turned !== name && dice.chance(25) ? turned : dice.pick(free);
}

const put = (definition: Definition, fields: Record<string, Field>): Definition => ({
  ...definition,
  fields,
});
const kept = (field: Field) => (field.renamedFrom === undefined ? {} : { renamedFrom: field.renamedFrom });
const isIndexable = (field: Field | undefined) =>
  field !== undefined && !isMany(field) && field.type !== 'content';

/** Its type alone: all rules are loosened. */
function bareType({ type, of, to, kind }: Field): Field {
  if (type === 'list') return { type, of: { type: (of as Field).type } };
  return type === 'relation' ? { type, to: to as Json, kind: kind as Json } : { type };
}

function retyped(dice: Dice, field: Field): Field {
  if (field.type === 'relation' && dice.chance(60))
    return { ...bareType(field), kind: field.kind === 'single' ? 'multiple' : 'single' };
  if (!isMany(field) && dice.chance(50))
    return dice.chance(50)
      ? { type: dice.pick(['text', 'content']) }
      : { type: 'list', of: { type: field.type === 'relation' ? 'text' : field.type } };
  return makeField(dice);
}

function withDefault(dice: Dice): Field {
  const field = makeField(dice);
  const { type, of, required, ...rules } = field;
  if (type === 'relation' || Object.keys(rules).length > 0 || !dice.chance(50)) return field;
  if (type !== 'list') return { ...field, default: someValue(dice, type) };
  if (Object.keys(of as Field).length > 1) return field;
  return { ...field, default: dice.times(1 + dice.below(2), () => someValue(dice, (of as Field).type)) };
}

const someValue = (dice: Dice, type: string) => dice.pick((pool[type] ?? []).filter((value) => value !== ''));

export function makeValue(dice: Dice, field: Field, ids: Readonly<Record<string, readonly string[]>>): Json {
  if (dice.chance(15)) return null;
  const least = field.minItems === undefined ? 0 : 1; // where there are some, an empty list is sent as null
  if (field.type === 'relation') {
    const there = ids[String(field.to)] ?? [];
    return isMany(field) ? dice.some(there, least, 3) : dice.pick(there);
  }
  if (field.type === 'list')
    return dice.times(least + dice.below(4 - least), () => dice.pick(pool[(field.of as Field).type] ?? []));
  return dice.pick(pool[field.type] ?? []);
}
