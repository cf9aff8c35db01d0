import type { EmailField, FieldType } from '../field.ts';
import { lengthConstraints, stringBehaviour, stringCheck, verifyLengths } from './string.ts';

/** Plausible is enough: only a message that arrives proves an address. */
const plausible = /^[^\s@"(),:;<>[\\\]]+@[^\s@.,"(),:;<>[\\\]]+(?:\.[^\s@.,"(),:;<>[\\\]]+)+$/;
const longest = 254;

export function isEmail(text: string): boolean {
  return text.length <= longest && plausible.test(text);
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
