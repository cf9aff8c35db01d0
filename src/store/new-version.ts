import { randomInt } from 'node:crypto';

/**
 * Names a state of a schema, or of the records of a collection, that was never there before. Random and not counted: a
 * database that lost its last commits, in a failover or by a backup that was put back, would count them out again, for
 * something else. Below 2^48, so that numbers hold the sum of a few.
 */
export const newVersion = () => randomInt(1, 2 ** 48 - 1);
