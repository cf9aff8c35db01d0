import type { Collection } from '../model/collection.ts';
import type { ColumnValue, FilterRules } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import { instantFilter } from '../model/fields/datetime.ts';
import { idFilter, referenceFilter } from '../model/fields/relation.ts';
import type { Condition } from '../store/plans.ts';
import type { Parameter } from './query-string.ts';

type Fault = (message: string) => void;

/** All conditions on one field; undefined if no field has that name. */
export function readFilter(
  collection: Collection,
  name: string,
  given: readonly Parameter[],
  fault: Fault,
): Condition[] | undefined {
  const rules = findRules(collection, name);
  if (!rules) return undefined;
  const allowed = given.filter((parameter) => operatorFits(rules, parameter, fault));
  const equal = allowed.filter(({ operator }) => operator === '=').map(({ value }) => value);
  const conditions: Condition[] = [];
  if (equal.length > 0) {
    const values = readAlternatives(rules, equal, fault);
    if (values) conditions.push({ kind: 'oneOf', name, values });
  }
  for (const { operator, value } of allowed) {
    if (operator === '=') continue;
    if (operator === '!=')
      conditions.push({ kind: 'noneOf', name, values: readSeveral(rules, value, fault) });
    else conditions.push({ kind: 'compare', name, operator, value: readOne(rules, value, fault) ?? null });
  }
  return conditions;
}

function findRules(collection: Collection, name: string): FilterRules | undefined {
  if (name === '_id') return idFilter;
  if (name === '_createdAt' || name === '_updatedAt') return instantFilter;
  if (name === '_owner' || name === '_workspace') return referenceFilter;
  const field = collection.fields.get(name);
  return field && fieldType(field).filter(field);
}

/** An empty value asks for unset values: that works with `=` and `!=` even for types without these operators. */
function operatorFits(rules: FilterRules, { name, operator, value }: Parameter, fault: Fault): boolean {
  if (rules.operators.includes(operator)) return true;
  const equality = operator === '=' || operator === '!=';
  if (equality && value === '' && rules.unset.length > 0) return true;
  const compares = rules.example !== undefined && rules.operators.includes('>=');
  const example = compares ? `, such as ${name}>=${rules.example}` : '';
  const unset = equality && rules.unset.length > 0 ? `, or ${name}= for the records without one` : '';
  fault(`can't be filtered with '${operator}': use ${rules.operators.join(', ')}${example}${unset}`);
  return false;
}

/** The values of `=`: any of them may match, if the type takes several. */
function readAlternatives(
  rules: FilterRules,
  given: readonly string[],
  fault: Fault,
): readonly ColumnValue[] | undefined {
  if (rules.alternatives) return given.flatMap((text) => readSeveral(rules, text, fault));
  const [only = ''] = given;
  if (given.length === 1) return readPart(rules, only, fault);
  fault(`takes one value, not ${given.length}: write ${rules.expects}`);
  return undefined;
}

/** `a,b\,c` stands for `a` and `b,c`. */
function readSeveral(rules: FilterRules, text: string, fault: Fault): readonly ColumnValue[] {
  if (!text.includes(',')) return readPart(rules, text, fault);
  const parts = text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','));
  return parts.flatMap((part) => readPart(rules, part, fault));
}

/** The column values that one value of a filter stands for; none after a fault. */
function readPart(rules: FilterRules, text: string, fault: Fault): readonly ColumnValue[] {
  if (text === '' && rules.unset.length > 0) return rules.unset;
  const value = readOne(rules, text, fault);
  return value === undefined ? [] : [value];
}

function readOne(rules: FilterRules, text: string, fault: Fault): ColumnValue | undefined {
  const value = text === '' ? undefined : rules.read(text);
  if (value === undefined) fault(`must be ${rules.expects}, not '${text}'`);
  return value;
}
