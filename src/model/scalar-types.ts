import type { FieldType, ScalarField } from './field.ts';
import { boolean } from './fields/boolean.ts';
import { content } from './fields/content.ts';
import { datetime } from './fields/datetime.ts';
import { email } from './fields/email.ts';
import { number } from './fields/number.ts';
import { text } from './fields/text.ts';
import { url } from './fields/url.ts';

/** The types of one value, which are also those a list can hold. */
export const scalarTypes = { text, email, url, content, number, boolean, datetime } as const;

export function scalarType(field: ScalarField): FieldType<ScalarField> {
  // Each entry handles just the fields of its own name, which the compiler can't see through the look-up.
  return scalarTypes[field.type] as unknown as FieldType<ScalarField>;
}
