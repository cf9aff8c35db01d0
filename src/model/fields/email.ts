import type { EmailField, FieldType } from '../field.ts';
import { lengthConstraints, stringBehaviour, stringCheck, verifyLengths } from './string.ts';

/** Plausible is enough: only a message that arrives proves an address. Dots stand between characters, here and there. */
const part = String.raw`[^\s@."(),:;<>[\\\]]+`;
const plausible = new RegExp(String.raw`^${part}(?:\.${part})*@${part}(?:\.${part})+$`);
const longest = 254;

/** Control characters, and those that are not seen: two addresses could look alike. */
const unseen = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

export function isEmail(text: string): boolean {
  return text.length <= longest && plausible.test(text) && !unseen.test(text);
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
  uniqueAllowed: () => true,
};
