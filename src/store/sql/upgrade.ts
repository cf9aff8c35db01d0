import type { Awaitable } from '../../awaitable.ts';
import { Failure } from '../../failure.ts';
import type { Connection } from './dialect.ts';

export type UpgradeStep = (db: Connection) => Awaitable<void>;

/**
 * What to do to get from one format of the tables to the next, for the instance and for each project. A part that is left out
 * stays as it is.
 */
export interface Upgrade {
  readonly instance?: UpgradeStep;
  readonly project?: UpgradeStep;
}

/** Several steps that make up one format together. */
export const inOrder =
  (...steps: readonly UpgradeStep[]): UpgradeStep =>
  async (db) => {
    for (const step of steps) await step(db);
  };

/** The format that a list of steps leads to: one step per format, and none for the first. */
export const formatAfter = (upgrades: readonly Upgrade[]): number => upgrades.length + 1;

/**
 * Upgrades tables from the format found to the latest. Must run in one transaction with the change of the format number, so
 * that a process that dies on the way leaves the old format intact.
 */
export async function runUpgrades(
  db: Connection,
  part: keyof Upgrade,
  found: number,
  upgrades: readonly Upgrade[],
): Promise<void> {
  for (const upgrade of upgrades.slice(found - 1)) await upgrade[part]?.(db);
}

/** Data of an unknown format is left alone. */
export function refuseNewer(found: number, format: number): void {
  if (found <= format) return;
  throw new Failure(
    'unavailable',
    `The data has format ${found}, made by a newer Vitrine, and this one reads up to ${format}: upgrade Vitrine`,
    { retryAfter: 60 },
  );
}
