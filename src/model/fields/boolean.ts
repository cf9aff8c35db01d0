import type { CellRules } from '../cell.ts';
import type { BooleanField, FieldType, FilterRules } from '../field.ts';
import { jsonKind } from '../json.ts';

const filter: FilterRules = {
  operators: ['=', '!='],
  unset: [null],
  alternatives: false,
  read: (text) => (text === 'true' ? 1 : text === 'false' ? 0 : undefined),
  expects: 'true or false',
};

const cells: CellRules = {
  width: 9,
  cell: (value) => ({ kind: 'boolean', value: value as boolean }),
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  expects: filter.expects,
};

const isBoolean = { type: 'boolean' };

export const boolean: FieldType<BooleanField> = {
  type: 'boolean',
  constraints: {},
  compile: () => (value, report) => {
    if (typeof value === 'boolean') return value;
    report(`must be true or false, not ${jsonKind(value)}`);
    return undefined;
  },
  schema: { sent: () => isBoolean, answered: () => isBoolean, filtered: () => isBoolean },
  plural: () => false,
  uniqueAllowed: () => true,
  column: () => 'integer',
  toColumn: (value) => (value ? 1 : 0),
  fromColumn: (value) => value === 1,
  filter: () => filter,
  cells: () => cells,
  searchable: () => false,
  example: () => true,
};
