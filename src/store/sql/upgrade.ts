import type { Awaitable } from '../../awaitable.ts';
import { Failure } from '../../failure.ts';
import type { Connection } from './dialect.ts';

export type UpgradeStep = (db: Connection) => Awaitable<void>;

/**
 * What has to be done to get from one format of the tables to the next, for what says which projects there are and for
 * each project. A part that is left out stays as it is.
 */
export interface Upgrade {
  readonly instance?: UpgradeStep;
  readonly project?: UpgradeStep;
}

/** Several steps that make one format together. */
export const inOrder =
  (...steps: readonly UpgradeStep[]): UpgradeStep =>
  async (db) => {
    for (const step of steps) await step(db);
  };

/** The format that the steps of a list lead to, one each. The first had none. */
export const formatAfter = (upgrades: readonly Upgrade[]): number => upgrades.length + 1;

/**
 * Brings tables from the format they were found in to the newest. To be run in one transaction together with the
 * change of the number, so that a process that ends on the way leaves the old format, whole.
 */
export async function runUpgrades(
  db: Connection,
  part: keyof Upgrade,
  found: number,
  upgrades: readonly Upgrade[],
): Promise<void> {
  for (const upgrade of upgrades.slice(found - 1)) await upgrade[part]?.(db);
}

/** Whoever does not know a format leaves it alone. */
export function refuseNewer(found: number, format: number): void {
  if (found <= format) return;
  throw new Failure(
    'unavailable',
    `The data has format ${found}, made by a newer Vitrine, and this one reads up to ${format}: upgrade Vitrine`,
    { retryAfter: 60 },
  );
}
