import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, type Sql, sql } from '../tag.ts';

/** What stays removed, by what names a row. Codes that were used are, too. */
const removable: readonly (readonly [rows: Sql, key: string])[] = [
  [tables.users, 'id'],
  [tables.keys, 'id'],
  [tables.identities, 'id'],
  [tables.invitations, 'id'],
  [tables.recovery_codes, 'digest'],
  [tables.members, `workspace || ' ' || "user"`],
];

/** Nobody may write to them while they are read. */
export const removableTables = ['users', 'keys', 'identities', 'invitations', 'recovery_codes', 'members'];

/** Rows that go with their user, by the column that says whose they are. */
const ofUsers: readonly (readonly [rows: Sql, user: string])[] = [
  [tables.members, '"user"'],
  [tables.factors, 'account'],
  [tables.recovery_codes, 'account'],
  [tables.identities, 'account'],
];

const atOnce = 1_000;

/** A project that takes the place of another: who and what was removed or disabled there since is so here too. */
export async function keepRemovals(from: Connection, to: Connection): Promise<void> {
  for (const [rows, key] of removable) {
    const now = await readKeys(from, rows, key);
    const gone = [...(await readKeys(to, rows, key))].filter((one) => !now.has(one));
    await eachChunk(gone, (which) => removeRows(to, rows, key, which));
  }
  for (const [rows, user] of ofUsers)
    await to.run(sql`DELETE FROM ${rows} WHERE ${raw(user)} NOT IN (SELECT id FROM ${tables.users})`);
  const disabled = await readKeys(from, sql`${tables.users} WHERE disabled <> 0`, 'id');
  await eachChunk([...disabled], async (ids) => {
    const which = to.dialect.values(ids, 'text');
    await to.run(sql`UPDATE ${tables.users} SET disabled = 1 WHERE id IN (${which})`);
  });
  await nameOwners(to);
}

async function readKeys(db: Connection, rows: Sql, key: string): Promise<Set<string>> {
  return new Set((await db.rows(sql`SELECT ${raw(key)} FROM ${rows}`)).map(([one]) => String(one)));
}

async function removeRows(db: Connection, rows: Sql, key: string, which: readonly string[]): Promise<void> {
  await db.run(sql`DELETE FROM ${rows} WHERE ${raw(key)} IN (${db.dialect.values(which, 'text')})`);
}

async function eachChunk(
  keys: readonly string[],
  work: (keys: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < keys.length; start += atOnce) await work(keys.slice(start, start + atOnce));
}

/** A workspace that has members has an owner: where the owners are gone, the longest member is. */
async function nameOwners(db: Connection): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.members} SET role = 'owner' WHERE seq IN (
      SELECT min(seq) FROM ${tables.members} GROUP BY workspace
      HAVING max(CASE WHEN role = 'owner' THEN 1 ELSE 0 END) = 0)`);
}
