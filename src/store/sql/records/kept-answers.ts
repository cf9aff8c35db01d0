import { Failure } from '../../../failure.ts';
import type { Idempotency } from '../../write-plans.ts';
import { checkAuthority } from '../accounts/check-authority.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, sql } from '../tag.ts';

const keptFor = 24 * 60 * 60_000;

/**
 * Nothing of a deleted collection may come back, including answers about it. Those of `_batch` stay, as most concern other
 * collections too and would be run twice: a batch that names a missing collection is refused before its answer is looked up.
 */
export async function forgetAnswers(db: Connection, collection: string): Promise<void> {
  const addresses = [`create ${collection}`, `batch ${collection}`];
  const ofRecords = [`update ${collection} `, `delete ${collection} `];
  const patterns = [
    ...addresses.map((address) => `% ${escaped(address)}`),
    ...ofRecords.map((address) => `% ${escaped(address)}%`),
  ];
  for (const pattern of patterns) {
    await db.run(sql`DELETE FROM ${tables.idempotency} WHERE realm LIKE ${pattern} ESCAPE '\\'`);
  }
}

const escaped = (address: string) => address.replaceAll('_', '\\_');

export async function findKept(
  db: Connection,
  { realm, key, digest, now, authority }: Idempotency,
): Promise<string[] | undefined> {
  const row = await db.row(sql`
    SELECT digest, results FROM ${tables.idempotency}
    WHERE realm = ${realm} AND key = ${key} AND created > ${now - keptFor}`);
  if (!row) return undefined;
  await checkAuthority(db, authority);
  if (row[0] === digest) return readResults(String(row[1]));
  throw new Failure(
    'conflict',
    'This Idempotency-Key was used with another body: use a new key for a new request',
  );
}

/**
 * The same, for a caller who runs the batch if there is none: an answer stored before all of the work is done is not returned
 * before it is, and running the batch waits for that.
 */
export async function findGiven(db: Connection, idempotency: Idempotency): Promise<string[] | undefined> {
  const kept = await findKept(db, idempotency);
  return kept && (await isUnderWay(db, idempotency)) ? undefined : kept;
}

/** Whether the stored answer belongs to a large deletion that is decided but not finished: both have the time of the request. */
export async function isUnderWay(db: Connection, { realm, key }: Idempotency): Promise<boolean> {
  const row = await db.row(sql`
    SELECT 1 FROM ${tables.idempotency} JOIN ${tables.deletions} ON at = created AND carrying = 1
    WHERE realm = ${realm} AND key = ${key}`);
  return row !== undefined;
}

/** The JSON of records contains no tabs: what may have many megabytes is not wrapped in JSON again, as earlier versions did. */
function readResults(text: string): string[] {
  if (text.startsWith('[')) return JSON.parse(text) as string[];
  return text === '' ? [] : text.split('\t');
}

/** Expired answers deleted with each one stored: more than one, so that they disappear, but not all, as each may be large. */
const mostForgotten = 2;

export async function keep(
  db: Connection,
  { realm, key, digest, now }: Idempotency,
  results: readonly string[],
): Promise<void> {
  await db.run(sql`
    DELETE FROM ${tables.idempotency} WHERE (realm, key) IN (
      SELECT realm, key FROM ${tables.idempotency} WHERE created <= ${now - keptFor}
      ORDER BY created LIMIT ${raw(String(mostForgotten))}
    )`);
  await db.run(sql`
    INSERT INTO ${tables.idempotency} (realm, key, digest, results, created)
    VALUES (${realm}, ${key}, ${digest}, ${results.join('\t')}, ${now})
    ON CONFLICT (realm, key) DO UPDATE
    SET digest = excluded.digest, results = excluded.results, created = excluded.created`);
}
