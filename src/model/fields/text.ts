import type { FieldType, ReadConstraint, Report, TextField } from '../field.ts';
import type { JsonObject } from '../json.ts';
import { compilePattern, type Pattern, readPattern } from '../pattern.ts';
import { ecmaPattern } from '../pattern-schema.ts';
import { someText } from './constraints.ts';
import {
  fittingText,
  isLonger,
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
    const pattern = patternOf(field);
    const check = stringCheck(field, (option, note) => {
      // A longer one was saved before there was a limit.
      if (pattern && !isLonger(option, pattern.longest)) matchPattern(pattern, option, field, note);
    });
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
  const pattern = patternOf(field);
  const { options = [] } = field;
  const allowed = options.length > 0 ? new Set(options) : undefined;
  const rule = `must be one of ${listed(options)}`;
  return stringCheck(field, (value, report) => {
    if (allowed?.has(value)) return; // options were checked by the other rules when they were saved
    if (pattern) matchPattern(pattern, value, field, report);
    if (allowed) report(rule);
  });
}

/** Most characters of options in a message, which may repeat for a hundred values: all options can be a megabyte. */
const mostListed = 1_000;

function listed(options: readonly string[]): string {
  let text = '';
  for (const [index, option] of options.entries()) {
    if (text.length + option.length > mostListed) return `${text}… (${options.length} in all)`;
    text += index + 1 < options.length ? `${option}, ` : option;
  }
  return text;
}

export const patternOf = ({ pattern }: TextField) =>
  pattern === undefined ? undefined : compilePattern(pattern);

function matchPattern(
  { test, longest }: Pattern,
  value: string,
  { pattern }: TextField,
  report: Report,
): void {
  if (isLonger(value, longest))
    report(`is too long for its pattern: must be at most ${longest} characters long`);
  else if (!test(value)) report(`must match the pattern ${pattern}`);
}

/** Options satisfy the other rules, so `enum` is enough. */
function sent(field: TextField): JsonObject {
  if (field.options?.length) return { type: 'string', enum: field.options };
  const pattern = field.pattern === undefined ? undefined : ecmaPattern(field.pattern);
  if (pattern === undefined) return stringSchema(bounded(field));
  return { ...stringSchema(bounded(field), pattern), not: { type: 'string', pattern: '\\u0000' } };
}

/** An expensive pattern limits the length of the text. */
function bounded(field: TextField): TextField {
  const { longest = Number.POSITIVE_INFINITY } = patternOf(field) ?? {};
  return longest < (field.maxLength ?? Number.POSITIVE_INFINITY) ? { ...field, maxLength: longest } : field;
}

function answered({ options }: TextField): JsonObject {
  return options?.length ? { type: 'string', enum: options } : { type: 'string' };
}
