import type { VitrineError } from '../../../client/admin.ts';
import type { Good } from './row-batches.ts';

/** The error of a batch, with lines of the file instead of indexes in the batch. */
export function blamed({ message, fields }: VitrineError, batch: readonly Good[]): string {
  const faults = Object.entries(fields).map(([key, fault]) => {
    const [, at, field = ''] = /^create\[(\d+)\]\.?(.*)$/.exec(key) ?? [];
    const line = at === undefined ? undefined : batch[Number(at)]?.line;
    return line === undefined ? `${key}: ${fault}` : `line ${line}: ${field && `${field}: `}${fault}`;
  });
  return faults.join('; ') || message;
}

/** `line 2`, or `lines 2 to 1001`. */
export function linesOf(rows: readonly Good[]): string {
  const [first, last] = [rows[0]?.line, rows.at(-1)?.line];
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}
