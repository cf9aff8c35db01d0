import { joinedCells, textCells } from '../cell.ts';
import type { Check, FieldType, FilterRules, ReadConstraint, RelationField } from '../field.ts';
import { jsonKind } from '../json.ts';
import { oneOf, someText } from './constraints.ts';
import { itemConstraints, itemsCheck, itemsSchema, verifyItems } from './items.ts';

/** Also used for `_owner` and `_workspace`. */
export const referenceFilter: FilterRules = {
  operators: ['=', '!='],
  unset: [null],
  alternatives: true,
  read: (text) => text,
  expects: 'an _id',
};

/** For `_id`, which is never unset. */
export const idFilter: FilterRules = { ...referenceFilter, unset: [] };

/** Also used for `_id`, `_owner` and `_workspace`. */
export const idCells = textCells(38);

const id: Check = (value, report) => {
  if (typeof value === 'string') return value;
  report(`must be the _id of a record, not ${jsonKind(value)}`);
  return undefined;
};

/** The record that it names could be deleted, or invisible to the caller who creates a record. */
const noDefault: ReadConstraint = (_raw, report) => {
  report('is not possible for a relation: leave it out');
  return undefined;
};

/** For examples. */
export const someId = '01982f4e-7a3c-7b1e-9d52-3f0c8a6e4b17';

/** Also the schema of `_id`, `_owner` and `_workspace`. */
export const idSchema = { type: 'string', format: 'uuid' };

/** The store checks whether the ids exist and are visible, in the transaction that writes them. */
export const relation: FieldType<RelationField> = {
  type: 'relation',
  constraints: {
    ...itemConstraints,
    default: noDefault,
    to: someText,
    kind: oneOf('single', 'multiple'),
    onDelete: oneOf('clear', 'restrict', 'cascade'),
  },
  verify(field, report) {
    verifyItems(field, report);
    if (field.kind === 'single' && (field.minItems ?? field.maxItems) !== undefined) {
      report('takes minItems and maxItems only with kind multiple');
    }
  },
  compile: (field) => (field.kind === 'multiple' ? itemsCheck(field, id, true, '_ids') : id),
  schema: {
    sent: (field) =>
      field.kind === 'multiple' ? { ...itemsSchema(field, idSchema), uniqueItems: true } : idSchema,
    answered: ({ kind }) => (kind === 'multiple' ? { type: 'array', items: idSchema } : idSchema),
    filtered: () => idSchema,
  },
  plural: (field) => field.kind === 'multiple',
  uniqueAllowed: (field) => field.kind === 'single',
  column: () => 'text',
  toColumn: (value) => value as string,
  fromColumn: (value) => value,
  filter: () => referenceFilter,
  cells: (field) => (field.kind === 'multiple' ? joinedCells(idCells) : idCells),
  searchable: () => false,
  example: ({ kind }) => (kind === 'multiple' ? [someId] : someId),
};
