import type { Collection } from './collection.ts';
import type { Field } from './field.ts';

/** Whether a field has its own index. */
export const hasIndex = (field: Field): boolean =>
  field.type === 'relation' || field.index === true || field.unique === true;

/** Whether an index has the values of a field or service field in order. */
export function isIndexed({ fields }: Pick<Collection, 'fields'>, name: string): boolean {
  if (name === '_createdAt' || name === '_id') return true;
  const field = fields.get(name);
  return field !== undefined && hasIndex(field);
}
