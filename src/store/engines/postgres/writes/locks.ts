/** 'Vitr': the first half of the names of our advisory locks; the second is the number of the project. */
const writing = 0x56697472;
const changing = writing + 1;
const deleting = writing + 2;

/** Positions that are given out: the number of the project, below zero, where no other lock of ours is. */
export const positionClass = (schema: string) => -Number(schema.slice('vitrine_p'.length));

/** Numbers of locks have 31 bits: positions go round. */
export const positionRound = 2 ** 31;

/** Until the end of the transaction: any number may give out positions, each from a number of its own on. */
export const lockPosition = (schema: string) =>
  `pg_advisory_xact_lock_shared(
    ${positionClass(schema)}, (nextval('${schema}.changes_pos_seq') % ${positionRound})::integer)`;

/** Until the end of the transaction: any number may write records at the same time. */
export const lockToWrite = (seq: number) => `SELECT pg_advisory_xact_lock_shared(${writing}, ${seq})`;

/** Until the end of the transaction nobody else writes. */
export const lockAlone = (seq: number) => `SELECT pg_advisory_xact_lock(${writing}, ${seq})`;

/** Until the end of the session nobody else changes the schema. */
export const lockToChange = (seq: number) => `SELECT pg_advisory_lock(${changing}, ${seq})`;

/** The same until the end of the transaction, without waiting: says whether it is ours, as 1 or null. */
export const tryToChange = (seq: number) =>
  `SELECT CASE WHEN pg_try_advisory_xact_lock(${changing}, ${seq}) THEN 1 END`;

/** Until the end of the session nobody changes the schema; any number may ask for that. */
export const lockUnchanged = (seq: number) => `SELECT pg_advisory_lock_shared(${changing}, ${seq})`;

/** Until the end of the session nobody else has a large deletion under way; without waiting, as 1 or null. */
export const tryToDelete = (seq: number) =>
  `SELECT CASE WHEN pg_try_advisory_lock(${deleting}, ${seq}) THEN 1 END`;
