import type { GeneratorValue } from 'fast-check';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { Dice } from '../reference/dice.ts';

const texts = [
  'plain',
  "it's",
  'a "quote"',
  'back\\slash',
  'two\nlines',
  'Ünïcödé ✓',
  '`tick`',
  '</script>',
  '\u2028',
];
const names = ['title', 'constructor', 'toString', 'x_1', 'Order', 'valueOf', 'class', 'a', 'B2'];
const ids = ['a', 'b-c', 'constructor', 'delete', 'e_1'];

/** A project with everything a definition can say, in any combination; three ids, so that one replaces another. */
export function randomProject(draw: GeneratorValue): JsonObject {
  const dice = new Dice(draw);
  const collections = dice.some(ids, 0, 5);
  const auth = { registration: dice.pick(['open', 'closed']), refreshTokenDays: 1 + dice.below(300) };
  return {
    id: dice.pick(['one', 'two', 'three']),
    ...(dice.chance(50) && { name: dice.pick(texts) }),
    ...(dice.chance(50) && { auth }),
    ...(dice.chance(50) && { changes: { days: 1 + dice.below(365) } }),
    collections: collections.map((id) => collection(dice, id, collections)),
  };
}

function collection(dice: Dice, id: string, all: readonly string[]): JsonObject {
  const fields = Object.fromEntries(dice.some(names, 0, 6).map((name) => [name, field(dice, all)]));
  const single = Object.keys(fields).filter((name) => {
    const { type, kind } = fields[name] ?? {};
    return type !== 'list' && kind !== 'multiple';
  });
  const indexed = dice.some(single, 1, 3);
  const named = dice.some(Object.keys(fields), 0, 3);
  return {
    id,
    ...(dice.chance(50) && { name: dice.pick(texts) }),
    fields,
    ...(indexed.length > 0 && dice.chance(60) && { indexes: [{ fields: indexed, unique: dice.chance(50) }] }),
    ...(dice.chance(70) && {
      api: {
        ...(dice.chance(70) && { access: dice.pick(['public', 'user', 'workspace']) }),
        methods: {
          ...(dice.chance(50) && {
            create: { access: dice.pick(['inherit', 'user']), enabled: dice.chance(50) },
          }),
          ...(dice.chance(50) && { distinct: { fields: named } }),
          ...(dice.chance(30) && { export: { enabled: false } }),
        },
      },
    }),
  };
}

function field(dice: Dice, all: readonly string[]): JsonObject {
  const common = {
    ...(dice.chance(30) && { required: dice.chance(50) }),
    ...(dice.chance(30) && { index: dice.chance(50) }),
    ...(dice.chance(30) && { label: dice.pick(texts) }),
    ...(dice.chance(20) && { description: dice.pick(texts) }),
  };
  const type = dice.pick([
    'text',
    'email',
    'url',
    'content',
    'number',
    'boolean',
    'datetime',
    'list',
    'relation',
  ]);
  if (type === 'relation') {
    const relation = { type, to: dice.pick(all), ...common };
    const onDelete = dice.chance(50) ? { onDelete: dice.pick(['clear', 'restrict', 'cascade']) } : {};
    return dice.chance(50)
      ? { ...relation, ...onDelete }
      : { ...relation, ...onDelete, kind: 'multiple', maxItems: 3 };
  }
  if (type === 'list') {
    return {
      type,
      of: { type: 'number', ...rules(dice, 'number') },
      ...common,
      ...(dice.chance(40) && { default: [4, 5] }),
    };
  }
  return { type, ...rules(dice, type), ...common };
}

function rules(dice: Dice, type: string): Record<string, Json> {
  switch (type) {
    case 'text':
      return dice.chance(50)
        ? { options: texts, default: dice.pick(texts) }
        : { maxLength: 9, pattern: '^[a-z\\d]+$' };
    case 'number':
      return {
        ...(dice.chance(50) && { min: -1.5 }),
        ...(dice.chance(50) && { max: 1e21 }),
        integer: dice.chance(50),
      };
    case 'datetime':
      return dice.chance(50) ? { min: '2020-01-01', max: '2026-01-01T00:00:00+02:00' } : {};
    case 'boolean':
      return dice.chance(50) ? { default: dice.chance(50) } : { unique: true };
    case 'content':
      return { minLength: 1 };
    default:
      return dice.chance(50) ? { unique: true } : { maxLength: 50 };
  }
}
