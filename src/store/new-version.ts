import { randomInt } from 'node:crypto';

/**
 * Names a state of a schema, or of a collection's records, that has never existed before. Random rather than counted: a
 * database that lost its last commits, by failover or by restoring a backup, would give the same numbers again to other states.
 * Below 2^48, so that sums of a few stay exact.
 */
export const newVersion = () => randomInt(1, 2 ** 48 - 1);
