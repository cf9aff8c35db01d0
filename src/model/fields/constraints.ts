import type { ReadConstraint, Report } from '../field.ts';

export const wholeNumber: ReadConstraint = (raw, report) => {
  if (typeof raw === 'number' && Number.isSafeInteger(raw) && raw >= 0) return raw;
  report(`must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
  return undefined;
};

export const flag: ReadConstraint = (raw, report) => {
  if (typeof raw === 'boolean') return raw;
  report('must be true or false');
  return undefined;
};

export const someText: ReadConstraint = (raw, report) => {
  if (typeof raw === 'string' && raw.isWellFormed() && !raw.includes('\0')) return raw;
  report('must be a string of well-formed text');
  return undefined;
};

export function oneOf(...choices: readonly string[]): ReadConstraint {
  return (raw, report) => {
    if (typeof raw === 'string' && choices.includes(raw)) return raw;
    report(`must be one of ${choices.join(', ')}`);
    return undefined;
  };
}

/** Reports a pair such as `minLength` and `maxLength` that is the wrong way round. */
export function verifyOrder<T extends number>(
  low: T | undefined,
  high: T | undefined,
  names: readonly [string, string],
  report: Report,
): void {
  if (low !== undefined && high !== undefined && low > high) {
    report(`must not be above ${names[1]}`, `.${names[0]}`);
  }
}
