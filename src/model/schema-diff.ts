import { isDeepStrictEqual } from 'node:util';
import { findConversion, originOf, type Renames } from './carry.ts';
import type { Collection, IndexDefinition } from './collection.ts';
import type { Field } from './field.ts';
import { fieldType } from './field-types.ts';

export type StepKind =
  | 'renameCollection'
  | 'addField'
  | 'removeField'
  | 'renameField'
  | 'changeType'
  | 'changeField'
  | 'addUnique'
  | 'dropUnique'
  | 'addIndex'
  | 'dropIndex'
  | 'reorderFields'
  | 'changeSettings';

export interface DiffStep {
  readonly kind: StepKind;
  readonly field?: string;
  readonly from?: string;
  readonly to?: string;
  /** Whether it loses values. */
  readonly destructive: boolean;
  /** Whether every record has to be read and written again; not so for settings of how records are used. */
  readonly rebuild: boolean;
}

/** The steps from one definition to another, in the order in which a person would describe them. */
export function diffCollections(from: Collection, to: Collection, renames: Renames): DiffStep[] {
  const kept = new Set([...to.fields.values()].map((field) => originOf(from, field, renames)?.name));
  const removed = [...from.fields.keys()].filter((name) => !kept.has(name));
  const steps: DiffStep[] = [
    ...(from.id === to.id ? [] : [{ ...quick('renameCollection'), from: from.id, to: to.id }]),
    ...removed.map((field) => ({ kind: 'removeField', field, destructive: true, rebuild: true }) as const),
    ...[...to.fields.values()].flatMap((field) => diffField(from, field, renames)),
    ...diffIndexes(from, to, renames),
    ...(from.name === to.name && isDeepStrictEqual(from.api, to.api) ? [] : [quick('changeSettings')]),
  ];
  // A new order is a step only if there is no other.
  return steps.length > 0 || keepsOrder(from, to) ? steps : [quick('reorderFields')];
}

const quick = (kind: StepKind) => ({ kind, destructive: false, rebuild: false });
const rebuilt = (kind: StepKind, field: string) => ({ kind, field, destructive: false, rebuild: true });

/** For definitions with the same fields. */
function keepsOrder(from: Collection, to: Collection): boolean {
  const names = [...to.fields.keys()];
  return [...from.fields.keys()].every((name, at) => name === names[at]);
}

function diffField(from: Collection, field: Field, renames: Renames): DiffStep[] {
  const { name } = field;
  const old = originOf(from, field, renames);
  if (!old) return [rebuilt('addField', name)];
  const steps: DiffStep[] = [];
  if (old.name !== name) steps.push({ ...rebuilt('renameField', name), from: old.name });
  if (shape(old) !== shape(field)) {
    const destructive = findConversion(old, field) === undefined;
    steps.push({ ...rebuilt('changeType', name), from: shape(old), to: shape(field), destructive });
  }
  if (Boolean(old.unique) !== Boolean(field.unique))
    steps.push(rebuilt(field.unique ? 'addUnique' : 'dropUnique', name));
  if (Boolean(old.index) !== Boolean(field.index))
    steps.push(rebuilt(field.index ? 'addIndex' : 'dropIndex', name));
  const known = shape(old) === shape(field) ? rules : commonRules; // changing the type includes its own rules
  if (!isDeepStrictEqual(known(old), known(field))) {
    const rebuild = !isDeepStrictEqual(checks(known(old)), checks(known(field)));
    steps.push({ kind: 'changeField', field: name, destructive: false, rebuild });
  }
  return steps;
}

/** `text`, `list of number`, `multiple relation to brands`. */
function shape(field: Field): string {
  if (field.type === 'list') return `list of ${field.of.type}`;
  return field.type === 'relation' ? `${field.kind} relation to ${field.to}` : field.type;
}

/** Everything in a field's definition except its name, type and indexes. */
function rules(field: Field): object {
  const { name, type, unique, index, ...rest } = field;
  if (field.type !== 'list') return rest;
  return { ...rest, of: { ...rules(field.of), type: undefined } };
}

function commonRules({ required, default: otherwise, label, description }: Field): object {
  return { required, default: otherwise, label, description };
}

/** Those of the rules that existing records could violate. */
function checks(known: object): object {
  const { default: _, label, description, onDelete, kind, to, ...rest } = known as Record<string, unknown>;
  return rest;
}

function diffIndexes(from: Collection, to: Collection, renames: Renames): DiffStep[] {
  const originName = (name: string) => renames.get(name) ?? name;
  const key = ({ fields, unique }: IndexDefinition, named: (name: string) => string) =>
    `${unique ? 'unique ' : ''}${fields.map(named).join(', ')}`;
  const before = new Set(from.indexes.map((index) => key(index, (name) => name)));
  const after = new Set(to.indexes.map((index) => key(index, originName)));
  return [
    ...[...before].filter((index) => !after.has(index)).map((index) => rebuilt('dropIndex', index)),
    ...[...after].filter((index) => !before.has(index)).map((index) => rebuilt('addIndex', index)),
  ];
}

/** The fields whose rules did not change, so that their values need not be checked again. */
export function sameRules(from: Collection, to: Collection, renames: Renames): Set<string> {
  const same = [...to.fields.values()].filter((field) => {
    const old = originOf(from, field, renames);
    return (
      old !== undefined &&
      shape(old) === shape(field) &&
      isDeepStrictEqual(checks(rules(old)), checks(rules(field)))
    );
  });
  return new Set(same.map(({ name }) => name));
}

/** Whether the searched text of every record stays the same. */
export function keepsSearch(from: Collection, to: Collection, renames: Renames): boolean {
  const searched = ({ fields }: Collection) =>
    [...fields.values()].filter((field) => fieldType(field).searchable(field));
  const before = new Set(searched(from).map(({ name }) => name));
  // No existing record has a value in a new field without a default.
  const isEmpty = (field: Field) => field.default === undefined && !originOf(from, field, renames);
  const after = searched(to).filter((field) => before.size === 0 || !isEmpty(field));
  const origins = after.map((field) => {
    const old = originOf(from, field, renames);
    return old && shape(old) === shape(field) ? old.name : undefined;
  });
  return origins.length === before.size && origins.every((name) => name !== undefined && before.has(name));
}
