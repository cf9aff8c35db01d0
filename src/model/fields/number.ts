import type { CellRules } from '../cell.ts';
import type { FieldType, FilterRules, NumberField, ReadConstraint } from '../field.ts';
import { jsonKind } from '../json.ts';
import { flag, verifyOrder } from './constraints.ts';

const bound: ReadConstraint = (raw, report) => {
  if (typeof raw === 'number' && Number.isFinite(raw)) return raw;
  report('must be a number');
  return undefined;
};

const decimal = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const filter: FilterRules = {
  operators: ['=', '!=', '>', '>=', '<', '<='],
  unset: [null],
  alternatives: false,
  read(text) {
    const value = decimal.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(value) ? value : undefined;
  },
  expects: 'a number, such as 12.5',
};

const cells: CellRules = {
  width: 14,
  cell: (value) => ({ kind: 'number', value: value as number }),
  read: filter.read,
  expects: filter.expects,
};

/** The largest integer that JSON can carry exactly. */
const largestInteger = Number.MAX_SAFE_INTEGER;

export const number: FieldType<NumberField> = {
  type: 'number',
  constraints: { min: bound, max: bound, integer: flag },
  verify: (field, report) => verifyOrder(field.min, field.max, ['min', 'max'], report),
  compile(field) {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, integer = false } = field;
    return (value, report) => {
      if (typeof value !== 'number') {
        report(`must be a number, not ${jsonKind(value)}`);
        return undefined;
      }
      if (!Number.isFinite(value)) report('must be a finite number');
      if (value < min) report(`must be at least ${min}`);
      if (value > max) report(`must be at most ${max}`);
      if (integer && !Number.isInteger(value)) report('must be a whole number');
      else if (integer && !Number.isSafeInteger(value)) {
        report(`must be within ±${Number.MAX_SAFE_INTEGER}, as JSON can't carry it exactly`);
      }
      return value === 0 ? 0 : value; // JSON would turn -0 into 0
    };
  },
  schema: {
    sent: ({ min, max, integer = false }) => ({
      type: integer ? 'integer' : 'number',
      ...bounds(
        integer ? Math.max(min ?? -largestInteger, -largestInteger) : min,
        integer ? Math.min(max ?? largestInteger, largestInteger) : max,
      ),
    }),
    answered: ({ integer = false }) => ({ type: integer ? 'integer' : 'number' }),
    filtered: () => ({ type: 'number' }),
  },
  plural: () => false,
  uniqueAllowed: () => true,
  column: () => 'real',
  toColumn: (value) => value as number,
  fromColumn: (value) => value,
  filter: () => filter,
  cells: () => cells,
  searchable: () => false,
  example: exampleNumber,
};

function exampleNumber({ min, max, integer = false }: NumberField): number {
  const wished = integer ? 10 : 12.5;
  const least = integer ? Math.ceil(min ?? wished) : (min ?? wished);
  return Math.min(Math.max(wished, least), integer ? Math.floor(max ?? wished) : (max ?? wished));
}

function bounds(minimum: number | undefined, maximum: number | undefined) {
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
}
