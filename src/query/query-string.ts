import { Failure } from '../failure.ts';
import type { Operator } from '../model/field.ts';

export interface Parameter {
  readonly name: string;
  readonly operator: Operator;
  readonly value: string;
}

/**
 * Reads what stands behind the `?`. The operators of filters may be raw or encoded, and the operator may be
 * part of the name, as URLSearchParams writes it: `price>=10`, `price%3E%3D10`, `price%3E%3D=10`.
 */
export function readQueryString(query: string): Parameter[] {
  if (query === '') return [];
  return query
    .split('&')
    .filter((part) => part !== '')
    .map(readParameter);
}

function readParameter(part: string): Parameter {
  const equals = part.indexOf('=');
  const key = /^(.+)(!=|>=|<=)$/s.exec(equals < 0 ? '' : decode(part.slice(0, equals)));
  if (key) return parameter(key[1], key[2], decode(part.slice(equals + 1)));
  const whole = decode(part);
  const match = /^([^=!<>]*)(!=|>=|<=|=|>|<)(.*)$/s.exec(whole);
  return match ? parameter(match[1], match[2], match[3]) : parameter(whole, '=', '');
}

function parameter(name = '', operator = '=', value = ''): Parameter {
  return { name, operator: operator as Operator, value };
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    if (!decoded.includes('\0')) return decoded;
  } catch {}
  throw new Failure(
    'invalid',
    `The query string is not valid: '${text.slice(0, 100)}' can not be decoded as UTF-8 text`,
  );
}
