import type { EmailField, FieldType } from '../field.ts';
import {
  countCharacters,
  lengthConstraints,
  stringBehaviour,
  stringCheck,
  stringSchema,
  stringSchemas,
  verifyLengths,
} from './string.ts';

/** Control characters and invisible ones, with which two addresses could look alike. */
const unseen = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** The same for the basic plane, spelled out for the schema, because not every language has such classes. */
const unseenRanges = String.raw`\u0000-\u0020\u007f-\u00a0\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb`;

/** Plausible is enough: only a mail that arrives proves an address. On both sides of the @, dots stand between characters. */
const part = String.raw`[^${unseenRanges}@."(),:;<>[\\\]]+`;
const emailPattern = String.raw`^${part}(?:\.${part})*@${part}(?:\.${part})+$`;
const plausible = new RegExp(emailPattern, 'u');
const longest = 254;

export function isEmail(text: string): boolean {
  if (text.length > 2 * longest || countCharacters(text) > longest) return false;
  return plausible.test(text) && !unseen.test(text);
}

export const email: FieldType<EmailField> = {
  ...stringBehaviour,
  type: 'email',
  constraints: lengthConstraints,
  verify: verifyLengths,
  compile: (field) =>
    stringCheck(field, (value, report) => {
      if (!isEmail(value)) report('must be an email address, such as ann@example.com');
    }),
  schema: {
    ...stringSchemas,
    sent: ({ minLength, maxLength = longest }) =>
      stringSchema(
        { ...(minLength !== undefined && { minLength }), maxLength: Math.min(maxLength, longest) },
        emailPattern,
      ),
  },
  uniqueAllowed: () => true,
  example: () => 'ann@example.com',
};
