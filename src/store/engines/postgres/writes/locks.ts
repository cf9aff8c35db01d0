/** 'Vitr': the first key of our advisory locks; the second is the number of the project. */
const writing = 0x56697472;
const changing = writing + 1;
const deleting = writing + 2;

/** The first key of locks on log positions: the project's number, negated so that it differs from all our other locks. */
export const positionClass = (schema: string) => -Number(schema.slice('vitrine_p'.length));

/** Lock keys have 31 bits: positions wrap around. */
export const positionRound = 2 ** 31;

/** Held until the end of the transaction. Shared: any number of writers may assign positions, each starting from its own. */
export const lockPosition = (schema: string) =>
  `pg_advisory_xact_lock_shared(
    ${positionClass(schema)}, (nextval('${schema}.changes_pos_seq') % ${positionRound})::integer)`;

/** Held until the end of the transaction. Shared: any number may write records at the same time. */
export const lockToWrite = (seq: number) => `SELECT pg_advisory_xact_lock_shared(${writing}, ${seq})`;

/** Until the end of the transaction nobody else can write. */
export const lockAlone = (seq: number) => `SELECT pg_advisory_xact_lock(${writing}, ${seq})`;

/** Until the end of the session nobody else can change the schema. */
export const lockToChange = (seq: number) => `SELECT pg_advisory_lock(${changing}, ${seq})`;

/** The same until the end of the transaction, without waiting. Returns 1, or null if the lock is taken. */
export const tryToChange = (seq: number) =>
  `SELECT CASE WHEN pg_try_advisory_xact_lock(${changing}, ${seq}) THEN 1 END`;

/**
 * Until the end of the session nobody can change the schema; any number may hold this lock. Without waiting: returns 1, or null if
 * the lock is taken.
 */
export const tryToKeep = (seq: number) =>
  `SELECT CASE WHEN pg_try_advisory_lock_shared(${changing}, ${seq}) THEN 1 END`;

/**
 * Until the end of the session nobody else can run a large deletion. Without waiting: returns 1, or null if the lock is taken.
 */
export const tryToDelete = (seq: number) =>
  `SELECT CASE WHEN pg_try_advisory_lock(${deleting}, ${seq}) THEN 1 END`;
