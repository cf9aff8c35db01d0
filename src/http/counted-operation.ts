import { operationNumber } from '../metrics/counted.ts';
import { namedOperations } from '../records/operations.ts';

const number = {
  admin: operationNumber('admin'),
  auth: operationNumber('auth'),
  other: operationNumber('other'),
};

/** By the last part of a path that is not a record's. */
const endings: ReadonlyMap<string, number> = new Map(
  [...namedOperations, ['_batch', 'batch'] as const, ['_changes', 'changes'] as const].map(
    ([ending, operation]) => [ending, operationNumber(operation)],
  ),
);

/** The operation of a request that has no direct record handler. */
export function countedOperation(path: string): number {
  if (!path.startsWith('/v1/')) return number.other;
  if (path.startsWith('/v1/_admin/')) return number.admin;
  if (path.includes('/_auth/')) return number.auth;
  return endings.get(path.slice(path.lastIndexOf('/') + 1)) ?? number.other;
}
