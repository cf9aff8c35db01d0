import { joinedCells } from '../cell.ts';
import type { Check, FieldType, ListField } from '../field.ts';
import { scalarType } from '../scalar-types.ts';
import { flag } from './constraints.ts';
import { itemConstraints, itemsCheck, itemsSchema, verifyItems } from './items.ts';
import { patternOf } from './text.ts';

export const list: FieldType<ListField> = {
  type: 'list',
  constraints: { ...itemConstraints, uniqueItems: flag },
  verify(field, report) {
    verifyItems(field, report);
    scalarType(field.of).verify?.(field.of, (message, at = '') => report(message, `.of${at}`));
  },
  compile(field) {
    const check = itemsCheck(
      field,
      scalarType(field.of).compile(field.of),
      field.uniqueItems ?? false,
      'values',
    );
    const longest = field.of.type === 'text' ? patternOf(field.of)?.longestList : undefined;
    return longest === undefined || !Number.isFinite(longest) ? check : withinLength(longest, check);
  },
  schema: {
    sent: (field) => ({
      ...itemsSchema(field, scalarType(field.of).schema.sent(field.of)),
      ...(field.uniqueItems && { uniqueItems: true }),
    }),
    answered: ({ of }) => ({ type: 'array', items: scalarType(of).schema.answered(of) }),
    filtered: ({ of }) => scalarType(of).schema.filtered(of),
  },
  plural: () => true,
  uniqueAllowed: () => false,
  column: (field) => scalarType(field.of).column(field.of),
  toColumn: (value, field) => scalarType(field.of).toColumn(value, field.of),
  fromColumn: (value, field) => scalarType(field.of).fromColumn(value, field.of),
  filter: (field) => ({
    ...scalarType(field.of).filter(field.of),
    operators: ['=', '!='],
    unset: [null],
    alternatives: true,
  }),
  cells: (field) => joinedCells(scalarType(field.of).cells(field.of)),
  searchable: (field) => scalarType(field.of).searchable(field.of),
  example({ of, minItems = 1 }) {
    const item = of.default ?? scalarType(of).example(of);
    return item === undefined || minItems > 1 ? undefined : [item];
  },
};

/** Limits the length of all texts together: matching many short ones takes as long as one that is too long. */
function withinLength(longest: number, check: Check): Check {
  return (value, report) => {
    const texts = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
    if (texts.reduce((sum, { length }) => sum + length, 0) <= longest) return check(value, report);
    report(
      `is too long for the pattern of its items: must have at most ${longest} characters in all of them`,
    );
    return undefined;
  };
}
