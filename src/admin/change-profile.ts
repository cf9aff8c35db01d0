import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Profile, profileOf } from '../auth/profile.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { compileCarry, isUnset, originOf, type Renames } from '../model/carry.ts';
import type { JsonObject } from '../model/json.ts';
import { type ProfileFields, writeProfile } from '../model/profile.ts';
import type { AuthSettings, ProjectRecord } from '../store/project-record.ts';

interface Change {
  /** The settings that the new definitions were read against. */
  readonly before: AuthSettings;
  readonly to: ProfileFields;
  readonly renames: Renames;
}

/** Most users that an error names. */
const mostNamed = 5;
const usersAtOnce = 500;

/**
 * Changes the definitions of profile fields, by the rules of schema changes: values that still fit are kept, a loss must be
 * confirmed, and existing values must not contradict the new definitions. The values are in the project's database and the
 * definitions in the instance's: `save` keeps the former definitions too, so that values that are not rewritten yet can be read,
 * also if this is interrupted.
 */
export async function changeProfiles(
  { store: { accounts } }: ProjectAccounts,
  change: Change,
  confirmed: boolean,
  save: () => Promise<ProjectRecord>,
  latest: () => Promise<ProjectRecord>,
): Promise<ProjectRecord> {
  await refuseFaults(accounts, change, confirmed);
  const saved = await save();
  await carryAll(accounts, saved.auth, async () => (await latest()).auth);
  return saved;
}

type Accounts = ProjectAccounts['store']['accounts'];

async function refuseFaults(accounts: Accounts, change: Change, confirmed: boolean): Promise<void> {
  const old = profileOf(change.before);
  const next = profileOf({ profile: writeProfile(change.to) });
  const carry = compileCarry(old.fields.collection, change.to.collection, change.renames);
  const lost = new Map<string, number>();
  const against: string[] = [];
  let contradicting = 0;
  for await (const users of profiles(accounts)) {
    for (const { id, profile } of users) {
      const before = old.shown(profile);
      const values = carry(before) as JsonObject;
      for (const name of losses(old.fields, change, before, values))
        lost.set(name, (lost.get(name) ?? 0) + 1);
      const fault = faultOf(next, values);
      if (fault === undefined) continue;
      contradicting += 1;
      if (against.length < mostNamed) against.push(`${id} (${fault})`);
    }
  }
  if (contradicting > 0) {
    throw new Failure('conflict', [
      { at: 'auth.profile', message: `${contradicting} users contradict it: ${against.join(', ')}` },
    ]);
  }
  if (lost.size === 0 || confirmed) return;
  const names = [...lost].map(([name, users]) => `${name} (${users})`).join(', ');
  throw new Failure('conflict', [
    {
      at: 'auth.profile',
      message: `users would lose the values of ${names}: send ?confirm=destructive to do it anyway`,
    },
  ]);
}

/** The fields whose value a user would lose under the new definitions. */
function losses(
  from: ProfileFields,
  { to, renames }: Change,
  before: JsonObject,
  after: JsonObject,
): string[] {
  const kept = new Map(
    [...to.collection.fields.values()].map((field) => [
      originOf(from.collection, field, renames)?.name,
      field.name,
    ]),
  );
  return Object.keys(before).filter((name) => {
    const now = kept.get(name);
    return !isUnset(before[name]) && (now === undefined || isUnset(after[now]));
  });
}

/** Unset values are sent as null: an empty list would have to satisfy `minItems`. */
function faultOf(profile: Profile, values: JsonObject): string | undefined {
  const sent = Object.entries(values).map(([name, value]) => [name, isUnset(value) ? null : value] as const);
  try {
    profile.create(Object.fromEntries(sent), 'server');
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** A concurrent change of a profile wins: it is then converted when it is read. */
async function carryAll(
  accounts: Accounts,
  saved: AuthSettings,
  latest: () => Promise<AuthSettings>,
): Promise<void> {
  const { carried } = profileOf(saved);
  for await (const users of profiles(accounts)) {
    // Another change of definitions, saved before these users were read, may have rewritten them; it converts all of them itself.
    if (!hasSameProfile(saved, await latest())) return;
    const changes = users.flatMap(({ id, profile: before }) => {
      const after = carried(before);
      return after ? [{ id, before, after }] : [];
    });
    if (changes.length > 0) await accounts.replaceProfiles(changes);
  }
}

/** The same definitions with the same history. */
export function hasSameProfile(one: AuthSettings, other: AuthSettings): boolean {
  return (
    isDeepStrictEqual(one.profile, other.profile) &&
    isDeepStrictEqual(one.formerProfiles, other.formerProfiles)
  );
}

async function* profiles(accounts: Accounts) {
  for (let last = ''; ; ) {
    const users = await accounts.listProfiles(last, usersAtOnce);
    if (users.length > 0) yield users;
    if (users.length < usersAtOnce) return;
    last = users.at(-1)?.id ?? '';
    await turn(); // as reading may be synchronous, and would block all other requests
  }
}
