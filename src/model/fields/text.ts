import type { FieldType, ReadConstraint, TextField } from '../field.ts';
import type { JsonObject } from '../json.ts';
import { compilePattern, readPattern } from '../pattern.ts';
import { ecmaPattern } from '../pattern-schema.ts';
import { someText } from './constraints.ts';
import {
  fittingText,
  lengthConstraints,
  stringBehaviour,
  stringCheck,
  stringSchema,
  stringSchemas,
  verifyLengths,
} from './string.ts';

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
  schema: { ...stringSchemas, sent, answered },
  uniqueAllowed: () => true,
  example: (field) =>
    field.options?.[0] ?? (field.pattern === undefined ? fittingText(field, 'Winter tea') : undefined),
};

function compile(field: TextField) {
  const matches = field.pattern === undefined ? undefined : compilePattern(field.pattern);
  const allowed = field.options?.length ? new Set(field.options) : undefined;
  return stringCheck(field, (value, report) => {
    if (matches && !matches(value)) report(`must match the pattern ${field.pattern}`);
    if (allowed && !allowed.has(value)) report(`must be one of ${[...allowed].join(', ')}`);
  });
}

/** Every option keeps the other rules, so they say it all. */
function sent(field: TextField): JsonObject {
  if (field.options?.length) return { type: 'string', enum: field.options };
  const pattern = field.pattern === undefined ? undefined : ecmaPattern(field.pattern);
  if (pattern === undefined) return stringSchema(field);
  return { ...stringSchema(field, pattern), not: { type: 'string', pattern: '\\u0000' } };
}

function answered({ options }: TextField): JsonObject {
  return options?.length ? { type: 'string', enum: options } : { type: 'string' };
}
