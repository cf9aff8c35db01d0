import type { Field, FieldType } from './field.ts';
import { list } from './fields/list.ts';
import { relation } from './fields/relation.ts';
import { scalarTypes } from './scalar-types.ts';

/** All field types. To add one, write a file in fields/ and add its name here or in scalar-types.ts. */
export const fieldTypes = { ...scalarTypes, list, relation } as const;

export function fieldType(field: Field): FieldType {
  // Cast: each entry handles the fields of its own type, which the compiler can't infer from the lookup.
  return fieldTypes[field.type] as unknown as FieldType;
}
