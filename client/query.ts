/**
 * An array is joined by commas. Half of an emoji, as a text that was cut has it, becomes U+FFFD, as in every URL:
 * `encodeURIComponent` alone would throw. Not `toWellFormed`, which some browsers of 2023 do not have yet.
 */
export const encode = (value: unknown): string =>
  encodeURIComponent(String(value).replace(/\p{Cs}/gu, '\ufffd'));

/** `?status=live&status=draft&price%3E%3D=10`, or nothing. */
export function queryString(options: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || isNothing(name, value)) continue;
    if (name === 'where') parts.push(...Object.entries(value as object).flatMap(conditions));
    else parts.push(`${name}=${encode(value)}`);
  }
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

/** An empty `sort` or `include` is the same as none. */
function isNothing(name: string, value: unknown): boolean {
  return /^(sort|include)$/.test(name) && Array.isArray(value) && value.length === 0;
}

function conditions([name, condition]: [string, unknown]): string[] {
  const given = isPlain(condition) ? Object.entries(condition) : [['=', condition] as const];
  return given.flatMap(([operator, value]) => {
    if (value === undefined) return [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.length === 0 && operator === '=')
      throw new TypeError(`where.${name}: an empty array matches nothing: send no request`);
    return values.map((one) => parameter(name, operator, one));
  });
}

/** Alternatives are repeated, not joined by commas, so a value may end in a backslash. */
function parameter(name: string, operator: string, value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value ?? '');
  const left = operator === '=' ? name : name + operator;
  // `price>` followed by `=10` would be read as `price>=10`, so `>` and `<` go without the `=` between name and value.
  return /^[<>]$/.test(operator)
    ? encode(left + text)
    : `${encode(left)}=${encode(text.replace(/,/g, '\\,'))}`;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
