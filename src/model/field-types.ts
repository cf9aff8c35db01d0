import type { Field, FieldType } from './field.ts';
import { list } from './fields/list.ts';
import { relation } from './fields/relation.ts';
import { scalarTypes } from './scalar-types.ts';

/** Every type of field. To add one: a file in fields/, and its name here or in scalar-types.ts. */
export const fieldTypes = { ...scalarTypes, list, relation } as const;

export function fieldType(field: Field): FieldType {
  // Each entry handles just the fields of its own name, which the compiler can't see through the look-up.
  return fieldTypes[field.type] as unknown as FieldType;
}
