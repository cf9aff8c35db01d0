import { compile, type Profile } from '../auth/profile.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { compileCarry, isUnset, originOf, type Renames } from '../model/carry.ts';
import type { JsonObject } from '../model/json.ts';
import type { ProfileFields } from '../model/profile.ts';

interface Change {
  readonly from: ProfileFields;
  readonly to: ProfileFields;
  readonly renames: Renames;
}

/** How many users a refusal names. */
const mostNamed = 5;
const usersAtOnce = 500;

/**
 * Other definitions of profile fields, by the rules of schema changes: values that still fit are kept, a loss must be
 * confirmed, and what users hold may not contradict them. The values are in the project and the definitions are not, so
 * `save` stands between two passes: before it, values are added under their new names, which nobody looks at yet; after
 * it, the old ones go. Whatever ends this on the way leaves the old profiles or the new ones.
 */
export async function changeProfiles<T>(
  { store: { accounts } }: ProjectAccounts,
  change: Change,
  confirmed: boolean,
  save: () => Promise<T>,
): Promise<T> {
  const carry = compileCarry(change.from.collection, change.to.collection, change.renames);
  const old = compile(change.from);
  const carried = (stored: JsonObject) => carry(old.shown(stored)) as JsonObject;
  await refuseFaults(accounts, change, old, carried, confirmed);
  await rewrite(accounts, (stored) => ({ ...stored, ...carried(stored) }));
  const saved = await save();
  const kept = new Set(change.to.collection.fields.keys());
  await rewrite(accounts, (stored) =>
    Object.fromEntries(Object.entries(stored).filter(([name]) => kept.has(name))),
  );
  return saved;
}

type Accounts = ProjectAccounts['store']['accounts'];

async function refuseFaults(
  accounts: Accounts,
  change: Change,
  old: Profile,
  carried: (stored: JsonObject) => JsonObject,
  confirmed: boolean,
): Promise<void> {
  const next = compile(change.to);
  const lost = new Map<string, number>();
  const against: string[] = [];
  let contradicting = 0;
  for await (const users of profiles(accounts)) {
    for (const { id, profile } of users) {
      const values = carried(profile);
      for (const name of losses(change, old.shown(profile), values))
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
function losses({ from, to, renames }: Change, before: JsonObject, after: JsonObject): string[] {
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

function faultOf(profile: Profile, values: JsonObject): string | undefined {
  try {
    profile.create(values, 'server');
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** Whoever changes a profile at the same moment wins: it is left as it is. */
async function rewrite(accounts: Accounts, next: (stored: JsonObject) => JsonObject): Promise<void> {
  for await (const users of profiles(accounts)) {
    const changes = users.flatMap(({ id, profile }) => {
      const [before, after] = [JSON.stringify(profile), JSON.stringify(next(profile))];
      return before === after ? [] : [{ id, before, after }];
    });
    if (changes.length > 0) await accounts.replaceProfiles(changes);
  }
}

async function* profiles(accounts: Accounts) {
  for (let last = ''; ; ) {
    const users = await accounts.listProfiles(last, usersAtOnce);
    if (users.length > 0) yield users;
    if (users.length < usersAtOnce) return;
    last = users.at(-1)?.id ?? '';
  }
}
