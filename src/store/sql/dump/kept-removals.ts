import { endInvitations, nameOwners } from '../accounts/members.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, type Sql, sql } from '../tag.ts';
import {
  allKnown,
  type History,
  knownUntil,
  lineAt,
  momentOf,
  readHistory,
  writeHistory,
} from './history.ts';

interface Removable {
  readonly name: string;
  readonly rows: Sql;
  /** The expression that identifies a row. */
  readonly key: string;
  /** When the row was made, where that is stored. */
  readonly created?: Sql;
}

const created = raw('created');

/** Rows that stay removed, such as recovery codes that were used. */
const removable: readonly Removable[] = [
  { name: 'users', rows: tables.users, key: 'id', created },
  { name: 'keys', rows: tables.keys, key: 'id', created },
  { name: 'identities', rows: tables.identities, key: 'id', created },
  { name: 'invitations', rows: tables.invitations, key: 'id', created },
  { name: 'recovery_codes', rows: tables.recovery_codes, key: 'digest' },
  { name: 'members', rows: tables.members, key: `workspace || ' ' || "user"` }, // as `removeMember` writes it
];

/** Nobody may write to these while they are read. */
export const removableTables = removable.map(({ name }) => name);

/** Rows that are deleted with their user, and the column that names the user. */
const ofUsers: readonly (readonly [rows: Sql, user: string])[] = [
  [tables.members, '"user"'],
  [tables.factors, 'account'],
  [tables.recovery_codes, 'account'],
  [tables.identities, 'account'],
];

const atOnce = 1_000;
/** The most keys of one kind that are stored; beyond that, it can't be told any more who was removed before a replacement. */
const mostAside = 100_000;
const none: readonly string[] = [];

/** For a project that takes the place of another: whoever and whatever was removed or disabled there stays so here. */
export async function keepRemovals(from: Connection, to: Connection, now: number): Promise<void> {
  const [before, own] = [await readHistory(from), await readHistory(to)];
  const aside: Record<string, readonly string[]> = {};
  let goneUsers: readonly string[] = none;
  for (const each of removable) {
    const there = new Set(await readKeys(from, each.rows, each.key));
    const left = before.aside[each.name] ?? none;
    const isThere = new Set([...there, ...left]);
    // A project that never replaced another has set nothing aside.
    const isKnown = each.name in before.aside || Object.keys(before.heard).length === 0;
    const kept = await removeGone(to, each, { before, own, isThere: isKnown ? isThere : undefined });
    const gone = [...isThere].filter((key) => !kept.has(key));
    if (isKnown && gone.length <= mostAside) aside[each.name] = gone;
    if (each.name === 'users') goneUsers = gone;
  }
  for (const [rows, user] of ofUsers)
    await to.run(sql`DELETE FROM ${rows} WHERE ${raw(user)} NOT IN (SELECT id FROM ${tables.users})`);
  const disabled = await readKeys(from, sql`${tables.users} WHERE disabled <> 0`, 'id');
  disabled.push(...(before.aside.disabled ?? none));
  await eachChunk(disabled, (ids) => disableUsers(to, ids));
  await nameOwners(to, sql`true`);
  await endInvitations(to, sql`true`);
  const users = new Set(goneUsers);
  aside.disabled = disabled.filter((id) => users.has(id));
  await writeHistory(to, { ...own, heard: allKnown(before, now), aside });
}

async function disableUsers(db: Connection, ids: readonly string[]): Promise<void> {
  const which = db.dialect.values(ids, 'text');
  await db.run(sql`UPDATE ${tables.users} SET disabled = 1 WHERE id IN (${which})`);
}

/**
 * Removes what was removed in the project before, and returns the keys that are left. `isThere`: undefined where that is not
 * known of all.
 */
async function removeGone(
  to: Connection,
  { rows, key, created }: Removable,
  { before, own, isThere }: { before: History; own: History; isThere: ReadonlySet<string> | undefined },
): Promise<Set<string>> {
  // Where its time is not stored, a row may be as new as the backup.
  const found = await to.rows(sql`SELECT ${raw(key)}, ${created ?? raw(String(momentOf(own)))} FROM ${rows}`);
  const kept = new Set<string>();
  const gone: string[] = [];
  for (const [name, since] of found) {
    const [one, moment] = [String(name), Number(since)];
    // If the replaced project can't have known a row, by its line or its time, the row was not removed there.
    const wasThere = moment <= knownUntil(before, lineAt(own, moment));
    if (wasThere && isThere && !isThere.has(one)) gone.push(one);
    else kept.add(one);
  }
  await eachChunk(gone, (which) => removeRows(to, rows, key, which));
  return kept;
}

async function readKeys(db: Connection, rows: Sql, key: string): Promise<string[]> {
  return (await db.rows(sql`SELECT ${raw(key)} FROM ${rows}`)).map(([one]) => String(one));
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
