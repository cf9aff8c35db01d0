import type { Collection } from '../model/collection.ts';
import type { ColumnValue, FilterRules, Operator } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import { instantFilter } from '../model/fields/datetime.ts';
import { idFilter } from '../model/fields/relation.ts';
import type { Condition } from '../store/plans.ts';
import type { Parameter } from './query-string.ts';

type Fault = (message: string) => void;

/** All that was said about one field, or undefined where no field has that name. */
export function readFilter(
  collection: Collection,
  name: string,
  given: readonly Parameter[],
  fault: Fault,
): Condition[] | undefined {
  const rules = findRules(collection, name);
  if (!rules) return undefined;
  const allowed = given.filter(({ operator }) => operatorFits(rules, operator, name, fault));
  const equal = allowed.filter(({ operator }) => operator === '=').map(({ value }) => value);
  const conditions: Condition[] = [];
  if (equal.length > 0) {
    const values = readAlternatives(rules, equal, fault);
    if (values) conditions.push({ kind: 'oneOf', name, values });
  }
  for (const { operator, value } of allowed) {
    if (operator === '=') continue;
    const values =
      operator === '!='
        ? splitValues(value).map((text) => readOne(rules, text, fault))
        : [readOne(rules, value, fault)];
    const read = values.filter((one) => one !== undefined);
    if (operator === '!=') conditions.push({ kind: 'noneOf', name, values: read });
    else conditions.push({ kind: 'compare', name, operator, value: read[0] ?? null });
  }
  return conditions;
}

function findRules(collection: Collection, name: string): FilterRules | undefined {
  if (name === '_id') return idFilter;
  if (name === '_createdAt' || name === '_updatedAt') return instantFilter;
  const field = collection.fields.get(name);
  return field && fieldType(field).filter(field);
}

function operatorFits(rules: FilterRules, operator: Operator, name: string, fault: Fault): boolean {
  if (rules.operators.includes(operator)) return true;
  const example = rules === instantFilter ? `, such as ${name}>=2026-01-01` : '';
  fault(`can not be filtered with '${operator}': use ${rules.operators.join(', ')}${example}`);
  return false;
}

/** Values of `=`: any of them may match, where the type takes several at all. */
function readAlternatives(
  rules: FilterRules,
  given: readonly string[],
  fault: Fault,
): ColumnValue[] | undefined {
  if (!rules.alternatives && given.length > 1) {
    fault(`takes one value, not ${given.length}: write ${rules.expects}`);
    return undefined;
  }
  const texts = rules.alternatives ? given.flatMap(splitValues) : given;
  const values = texts.map((text) => readOne(rules, text, fault));
  return values.filter((value) => value !== undefined);
}

function readOne(rules: FilterRules, text: string, fault: Fault): ColumnValue | undefined {
  const value = rules.read(text);
  if (value === undefined) fault(`must be ${rules.expects}, not '${text}'`);
  return value;
}

/** `a,b\,c` is a and b,c. */
function splitValues(text: string): string[] {
  return text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','));
}
