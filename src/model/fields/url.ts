import { textCells } from '../cell.ts';
import type { FieldType, UrlField } from '../field.ts';
import {
  lengthConstraints,
  stringBehaviour,
  stringCheck,
  stringSchema,
  stringSchemas,
  verifyLengths,
} from './string.ts';

/**
 * One regular expression for the whole rule, so that the schema can have it as its `pattern`. A host is an IPv4 or IPv6 address,
 * or labels of letters of any script, digits, _ and -, the last of which is not a number.
 * `outside`: what no label contains: ASCII symbols, spaces, the general punctuation, and invisible characters.
 */
const outside = String.raw`\u0000-\u002c\u002e\u002f\u003a-\u0040\u005b-\u005e\u0060\u007b-\u00a0\u00ad\u2000-\u206f\u3000-\u3002\ufe00-\ufe0f\ufeff\uff0e\uff61\ufff0-\uffff`;
const ends = `[^${outside}\\-]`;
const rest = `(?:[^${outside}]{0,61}${ends})?`;
const letter = `[^${outside}\\-0-9]`;
/** A host that ends in a number, also a hexadecimal one, is parsed as an IPv4 address. */
const last = `(?:${letter}${rest}|[0-9]{1,12}[^${outside}\\-0-9xX](?:[^${outside}]{0,48}${ends})?)`;
const name = String.raw`(?:${ends}${rest}\.)*${last}\.?`;

const byte = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const version4 = String.raw`(?:${byte}\.){3}${byte}`;
const group = '[0-9A-Fa-f]{1,4}';
const shortened = [1, 2, 3, 4, 5, 6].map(
  (before) => `(?:${group}:){1,${before}}(?::${group}){1,${7 - before}}`,
);
const version6 = [
  `(?:${group}:){7}${group}`,
  `(?:${group}:){1,7}:`,
  ...shortened,
  `:(?::${group}){1,7}`,
  '::',
];

const user = String.raw`[^\s\u0000-\u001f\u007f/?#@\\]+@`;
const port = ':(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[0-9]{1,4})';
const host = String.raw`(${name}|${version4}|\[(?:${version6.join('|')})\])`;
const path = String.raw`[/?#][^\s\u0000-\u001f\u007f]*`;
const pattern = `^[Hh][Tt][Tt][Pp][Ss]?://(?:${user})?${host}(?:${port})?(?:${path})?$`;
const absolute = new RegExp(pattern, 'u');
const longestHost = 253;
/** The host with its trailing dot and port. */
const hostAndPort = /^[^/]*\/\/(?:[^/?#@]*@)?([^/?#]*)/;
const longestHostAndPort = longestHost + '.:65535'.length;

/**
 * The length of the whole host is the only thing that the pattern does not check. It is checked first, because a million labels
 * take the pattern, which remembers each of them, up to two seconds.
 */
function isUrl(text: string): boolean {
  if ((hostAndPort.exec(text)?.[1] ?? '').length > longestHostAndPort) return false;
  const [, found = ''] = absolute.exec(text) ?? [];
  return found !== '' && found.replace(/\.$/, '').length <= longestHost;
}

export const url: FieldType<UrlField> = {
  ...stringBehaviour,
  type: 'url',
  constraints: lengthConstraints,
  verify: verifyLengths,
  compile: (field) =>
    stringCheck(field, (value, report) => {
      if (!isUrl(value)) report('must be an absolute http or https URL, such as https://example.com/page');
    }),
  schema: { ...stringSchemas, sent: (field) => stringSchema(field, pattern) },
  uniqueAllowed: () => true,
  cells: () => textCells(40),
  example: () => 'https://example.com/page',
};
