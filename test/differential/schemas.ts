import type { Json } from '../../src/model/json.ts';
import type { Dice } from '../reference/dice.ts';
import { type Definition, isMany, makeSchema } from '../reference/generate.ts';
import type { Field } from '../reference/model.ts';
import type { Definition as Changeable } from '../schema/model.ts';
import { mutate } from '../schema/mutate.ts';

type Rules = Record<string, Json>;

/** Three collections with rules of every kind; with levels where there is somebody to have them. */
export function makeDefinitions(dice: Dice, peopled: boolean): Definition[] {
  return makeSchema(dice).definitions.map((definition) => ({
    ...definition,
    fields: Object.fromEntries(
      Object.entries(definition.fields).map(([name, field]) => [
        name,
        dice.chance(30) ? { ...(field as Rules), ...rule(dice, field as Field) } : field,
      ]),
    ),
    indexes: definition.indexes.map((index) => ({ ...(index as Rules), unique: dice.chance(30) })),
    api: makeApi(dice, definition, peopled),
  }));
}

function makeApi(dice: Dice, { fields }: Definition, peopled: boolean): Json {
  const level = () => (peopled ? dice.pick(['public', 'public', 'user', 'workspace']) : 'public');
  const methods: Record<string, Json> = {};
  for (const method of ['viewAll', 'view', 'create', 'update', 'delete', 'distinct']) {
    if (peopled && dice.chance(15)) methods[method] = { access: level() };
    else if (dice.chance(3)) methods[method] = { enabled: false };
  }
  if (dice.chance(10)) methods.distinct = { fields: dice.some(Object.keys(fields), 1, 2) };
  return { access: level(), methods };
}

/** A rule that a good part of the values keeps. */
function rule(dice: Dice, field: Field): Rules {
  const rules: Rules[] = dice.chance(25) ? [{ required: true }] : [{ label: 'L' }];
  if (isMany(field)) rules.push({ maxItems: 2 }, { minItems: 1 });
  if (field.type === 'list') rules.push({ uniqueItems: true });
  if (field.type === 'relation') rules.push({ onDelete: 'restrict' }, { onDelete: 'cascade' });
  if (!isMany(field) && field.type !== 'content') rules.push({ unique: true }, { unique: true });
  if (field.type === 'text') rules.push({ maxLength: dice.pick([20, 300, 700]) }, { default: 'Ж?%_\\' });
  if (field.type === 'number') rules.push({ min: 0 }, { integer: true }, { default: 0.30000000000000004 });
  if (field.type === 'datetime') rules.push({ min: '1970-01-01' }, { default: '0001-01-01' });
  if (field.type === 'boolean') rules.push({ default: false });
  return dice.pick(rules);
}

/** The same definition, changed a little. */
export function changed(dice: Dice, definition: Definition, ids: readonly string[]): Definition {
  if (dice.chance(15)) return { ...definition, api: makeApi(dice, definition, dice.chance(50)) };
  if (dice.chance(6)) return { ...definition, id: dice.pick(['renamed', 'r-2', 'a', 'select']) };
  const next = mutate(dice, definition as unknown as Changeable) as unknown as Definition;
  // It knows of other collections than ours.
  const text = JSON.stringify(next).replace(/"to":"(?:others|more)"/g, () => `"to":"${dice.pick(ids)}"`);
  return JSON.parse(text) as Definition;
}
