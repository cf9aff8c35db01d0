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
  /** As they were when the definitions were read. */
  readonly before: AuthSettings;
  readonly to: ProfileFields;
  readonly renames: Renames;
}

/** How many users a refusal names. */
const mostNamed = 5;
const usersAtOnce = 500;

/**
 * Other definitions of profile fields, by the rules of schema changes: values that still fit are kept, a loss must be
 * confirmed, and what users hold may not contradict them. The values are in the project's database and the definitions in the
 * instance's: `save` keeps the former definitions too, so that values which are not rewritten yet can be read, also where this
 * is interrupted.
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

/** The fields of which a user has a value that the new definitions have no place for. */
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

/** What is unset is sent as null: an empty list would be held to `minItems`. */
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

/** Whoever changes a profile at the same moment wins: then it is carried over when it is read. */
async function carryAll(
  accounts: Accounts,
  saved: AuthSettings,
  latest: () => Promise<AuthSettings>,
): Promise<void> {
  const { carried } = profileOf(saved);
  for await (const users of profiles(accounts)) {
    // Another change that was saved before these were read may have written them, and carries all of them itself.
    if (!hasSameProfile(saved, await latest())) return;
    const changes = users.flatMap(({ id, profile: before }) => {
      const after = carried(before);
      return after ? [{ id, before, after }] : [];
    });
    if (changes.length > 0) await accounts.replaceProfiles(changes);
  }
}

/** The same definitions, by the same way. */
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
    await turn(); // where reading waits for nothing, others would wait for all of it
  }
}
