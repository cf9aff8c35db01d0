import { Failure } from '../failure.ts';
import type { Operator } from '../model/field.ts';

export interface Parameter {
  readonly name: string;
  readonly operator: Operator;
  readonly value: string;
  /** `title==x`: it is unclear whether the second `=` belongs to the value. */
  readonly ambiguous?: boolean;
}

/**
 * Parses a query string, without the `?`. Operators may be raw or encoded, and may be part of the name, as URLSearchParams
 * writes them: `price>=10`, `price%3E%3D10`, `price%3E%3D=10`, `price>==10`.
 */
export function readQueryString(query: string): Parameter[] {
  if (query === '') return [];
  return query
    .split('&')
    .filter((part) => part !== '')
    .map(readParameter);
}

/** Matches the first operator; each of its characters may be encoded. */
const operatorForm = /(?:[!<>]|%21|%3[CE])(?:=|%3D)|[=<>]|%3[CDE]/i;

/** Texts without anything to decode, as most are. */
const plain = /^[\w.,:-]*$/;

function readParameter(part: string): Parameter {
  const match = operatorForm.exec(part);
  if (!match) return { name: decode(part), operator: '=', value: '' };
  const operator = (match[0].includes('%') ? decodeURIComponent(match[0]) : match[0]) as Operator;
  const rest = part.slice(match.index + match[0].length);
  // A `=` after an operator of two characters separates the name from the value.
  const value = operator.length === 2 && rest.startsWith('=') ? rest.slice(1) : rest;
  const name = decode(part.slice(0, match.index));
  if (!value.startsWith('=')) return { name, operator, value: decode(value) };
  return { name, operator, value: decode(value.slice(1)), ambiguous: true };
}

function decode(text: string): string {
  if (plain.test(text)) return text;
  const wrong = (what: string) =>
    new Failure('invalid', `The query string is not valid: '${text.slice(0, 100)}' ${what}`);
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw wrong("can't be decoded as UTF-8 text: write a % that is one as %25");
  }
  if (decoded.includes('\0')) throw wrong('has the character U+0000, which no text may have');
  return decoded;
}
