import { textCells } from '../cell.ts';
import type { FieldType, UrlField } from '../field.ts';
import { lengthConstraints, stringBehaviour, stringCheck, verifyLengths } from './string.ts';

const absolute = /^https?:\/\/[^\s/?#\\]+(?:[/?#]\S*)?$/i;

/** Of names, each part between dots, as the URL parser spells it; the underscore is in use though no standard has it. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const longestHost = 253;

function isUrl(text: string): boolean {
  const parsed = absolute.test(text) ? URL.parse(text) : null;
  if (!parsed) return false;
  const host = parsed.hostname.replace(/\.$/, '');
  if (host.startsWith('[')) return true; // an IPv6 address, which the parser has checked
  return host.length <= longestHost && host.split('.').every((part) => label.test(part));
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
  uniqueAllowed: () => true,
  cells: () => textCells(40),
};
