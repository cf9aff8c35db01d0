import type { Field, ScalarField } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import { patternOf } from '../model/fields/text.ts';
import type { JsonObject } from '../model/json.ts';
import { ecmaPattern } from '../model/pattern-schema.ts';
import type { Audience } from './audience.ts';

/** The type of a field, for people: `text`, `list of number`, `relation to brands`. */
export function typeText(field: Field, { collections }: Audience): string {
  if (field.type === 'list') return `list of ${field.of.type}`;
  if (field.type === 'number' && field.integer) return 'integer';
  if (field.type !== 'relation') return field.type;
  const to = collections.has(field.to) ? ` to ${field.to}` : '';
  return field.kind === 'multiple' ? `relations${to}` : `relation${to}`;
}

/** The rules of a field, one phrase each, worded like the error messages. */
export function ruleTexts(field: Field): string[] {
  return [
    ...(field.required ? ['required'] : []),
    ...(field.default === undefined ? [] : [`default ${JSON.stringify(field.default)}`]),
    ...(field.unique ? ['unique'] : []),
    ...constraintTexts(field),
    ...(field.type === 'list' ? constraintTexts(field.of).map((rule) => `each ${rule}`) : []),
  ];
}

function constraintTexts(field: Field | ScalarField): string[] {
  const rules = new Map<string, unknown>(Object.entries(field));
  const some = (name: string, write: (value: unknown) => string) =>
    (rules.get(name) ?? false) === false ? [] : [write(rules.get(name))];
  return [
    ...some('minLength', (least) => `at least ${least} characters`),
    ...some('maxLength', (most) => `at most ${most} characters`),
    ...some('pattern', (pattern) => `matches ${pattern}`),
    ...some('options', (options) => `one of ${(options as string[]).join(', ')}`),
    ...some('min', (least) => `${field.type === 'datetime' ? 'not before' : 'at least'} ${least}`),
    ...some('max', (most) => `${field.type === 'datetime' ? 'not after' : 'at most'} ${most}`),
    ...some('minItems', (least) => `at least ${least} items`),
    ...some('maxItems', (most) => `at most ${most} items`),
    ...some('uniqueItems', () => 'no item twice'),
  ];
}

/** Title and description for a schema; the description includes rules for which JSON Schema has no keyword. */
export function schemaTexts(field: Field, audience: Audience): JsonObject {
  const target = field.type === 'relation' && audience.collections.has(field.to) ? field.to : undefined;
  const sentences = [
    ...(field.description ? [field.description] : []),
    ...(target === undefined ? [] : [`_id of a record of ${target}.`]),
    ...(field.unique ? ['No two records have the same.'] : []),
    ...(field.type === 'list' ? listTexts(field.of) : []),
    ...(field.type === 'datetime' && field.min !== undefined ? [`Not before ${field.min}.`] : []),
    ...(field.type === 'datetime' && field.max !== undefined ? [`Not after ${field.max}.`] : []),
    ...(field.type === 'text' && field.pattern !== undefined && ecmaPattern(field.pattern) === undefined
      ? [`Must match the pattern ${field.pattern} of RE2.`]
      : []),
  ];
  return {
    ...(field.label ? { title: field.label } : {}),
    ...(sentences.length > 0 ? { description: sentences.join(' ') } : {}),
  };
}

/** Rules for all items together. */
function listTexts(of: ScalarField): string[] {
  const { longestList = Number.POSITIVE_INFINITY } = (of.type === 'text' && patternOf(of)) || {};
  return Number.isFinite(longestList) ? [`At most ${longestList} characters in all items.`] : [];
}

/** The filter operators of a field, simplest first. */
export function filterOperators(field: Field): string[] {
  const { operators } = fieldType(field).filter(field);
  return ['=', '!=', '>', '>=', '<', '<='].filter(
    (operator) => operator === '=' || operator === '!=' || operators.some((one) => one === operator),
  );
}
