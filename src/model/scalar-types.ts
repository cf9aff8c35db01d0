import type { FieldType, ScalarField } from './field.ts';
import { boolean } from './fields/boolean.ts';
import { content } from './fields/content.ts';
import { datetime } from './fields/datetime.ts';
import { email } from './fields/email.ts';
import { number } from './fields/number.ts';
import { text } from './fields/text.ts';
import { url } from './fields/url.ts';

/** The types with a single value, which are also those that a list can hold. */
export const scalarTypes = { text, email, url, content, number, boolean, datetime } as const;

export function scalarType(field: ScalarField): FieldType<ScalarField> {
  // Cast: each entry handles the fields of its own type, which the compiler can't infer from the lookup.
  return scalarTypes[field.type] as unknown as FieldType<ScalarField>;
}
