import type { CellRules } from '../cell.ts';
import type { DatetimeField, FieldType, FilterRules, ReadConstraint } from '../field.ts';
import { formatInstant, instantPattern, instantRule, parseInstant } from '../instant.ts';
import { verifyOrder } from './constraints.ts';

const bound: ReadConstraint = (raw, report) => {
  const instant = typeof raw === 'string' ? parseInstant(raw) : undefined;
  if (instant !== undefined) return formatInstant(instant);
  report(instantRule);
  return undefined;
};

const filter: FilterRules = {
  operators: ['>', '>=', '<', '<='],
  unset: [null],
  alternatives: false,
  read: parseInstant,
  expects: 'a date, such as 2026-01-02, or a time, such as 2026-01-02T03:04:05Z',
  example: '2026-01-01',
};

/** For `_createdAt` and `_updatedAt`, which are never unset. */
export const instantFilter: FilterRules = { ...filter, unset: [] };

/** Also used for `_createdAt` and `_updatedAt`. */
export const instantCells: CellRules = {
  width: 20,
  cell: (value) => ({ kind: 'date', text: value as string }),
  read: (text) => text,
  expects: filter.expects,
};

const sent = { type: 'string', pattern: instantPattern };
const answered = { type: 'string', format: 'date-time' };

const milliseconds = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));

export const datetime: FieldType<DatetimeField> = {
  type: 'datetime',
  constraints: { min: bound, max: bound },
  verify: (field, report) =>
    verifyOrder(milliseconds(field.min), milliseconds(field.max), ['min', 'max'], report),
  compile(field) {
    const min = milliseconds(field.min) ?? Number.NEGATIVE_INFINITY;
    const max = milliseconds(field.max) ?? Number.POSITIVE_INFINITY;
    return (value, report) => {
      const instant = typeof value === 'string' ? parseInstant(value) : undefined;
      if (instant === undefined) {
        report(instantRule);
        return undefined;
      }
      if (instant < min) report(`must not be before ${field.min}`);
      if (instant > max) report(`must not be after ${field.max}`);
      return formatInstant(instant);
    };
  },
  schema: {
    // JSON Schema has no keyword to compare instants.
    sent: ({ min, max }) => ({
      ...sent,
      ...(min !== undefined && { 'x-min': min }),
      ...(max !== undefined && { 'x-max': max }),
    }),
    answered: () => answered,
    filtered: () => sent,
  },
  plural: () => false,
  uniqueAllowed: () => true,
  column: () => 'integer',
  toColumn: (value) => Date.parse(value as string),
  fromColumn: (value) => formatInstant(value as number),
  filter: () => filter,
  cells: () => instantCells,
  searchable: () => false,
  example: ({ min, max }) => min ?? max ?? '2026-01-02T03:04:05.000Z',
};
