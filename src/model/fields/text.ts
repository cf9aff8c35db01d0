import type { FieldType, ReadConstraint, TextField } from '../field.ts';
import { compilePattern, readPattern } from '../pattern.ts';
import { someText } from './constraints.ts';
import { lengthConstraints, stringBehaviour, stringCheck, verifyLengths } from './string.ts';

const options: ReadConstraint = (raw, report) => {
  const texts = Array.isArray(raw) && raw.length > 0 && raw.every((option) => typeof option === 'string');
  if (!texts) {
    report('must be an array of one or more strings');
    return undefined;
  }
  if (new Set(raw).size < raw.length) report('must not name an option twice');
  return raw;
};

const pattern: ReadConstraint = (raw, report) => {
  const text = someText(raw, report);
  return typeof text === 'string' ? readPattern(text, report) : undefined;
};

export const text: FieldType<TextField> = {
  ...stringBehaviour,
  type: 'text',
  constraints: { ...lengthConstraints, pattern, options },
  verify(field, report) {
    verifyLengths(field, report);
    const check = compile({ ...field, options: [] });
    field.options?.forEach((option, index) => {
      check(option, (message) => report(message, `.options[${index}]`));
    });
  },
  compile,
  uniqueAllowed: () => true,
};

function compile(field: TextField) {
  const matches = field.pattern === undefined ? undefined : compilePattern(field.pattern);
  const allowed = field.options?.length ? new Set(field.options) : undefined;
  return stringCheck(field, (value, report) => {
    if (matches && !matches(value)) report(`must match the pattern ${field.pattern}`);
    if (allowed && !allowed.has(value)) report(`must be one of ${[...allowed].join(', ')}`);
  });
}
