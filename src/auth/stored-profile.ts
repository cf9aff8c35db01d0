import { digest } from '../access/secret.ts';
import { compileCarry, storedDefault } from '../model/carry.ts';
import type { Check } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { type ProfileFields, readStoredProfile, stampKey } from '../model/profile.ts';
import type { AuthSettings } from '../store/project-record.ts';

/** Names definitions, in whatever order they are written. */
export function stampOf(profile: JsonObject): string {
  const fields = Object.keys(profile).sort();
  return digest(JSON.stringify(fields.map((name) => [name, profile[name] ?? null]))).slice(0, 12);
}

/**
 * A stored profile as the current definitions have it: values that earlier definitions wrote are carried through all that
 * followed. So it does not matter when a user's profile is rewritten after a change, or whether somebody who did not know of
 * the change yet wrote to it meanwhile. A profile by definitions that are not known is taken as it is.
 */
export function compileHistory({
  profile,
  formerProfiles,
}: Required<Pick<AuthSettings, 'profile' | 'formerProfiles'>>): (stored: JsonObject) => JsonObject {
  const current = stampOf(profile);
  const steps = formerProfiles.map((former, at) => {
    const from = readStoredProfile(former.profile);
    const to = readStoredProfile(formerProfiles[at + 1]?.profile ?? profile);
    const shown = compileShown(from);
    const carry = compileCarry(from.collection, to.collection, new Map(Object.entries(former.renames)));
    return {
      stamp: stampOf(former.profile),
      run: (stored: JsonObject) => carry(shown(stored)) as JsonObject,
    };
  });
  return (stored) => {
    const stamp = stored[stampKey];
    if (stamp === current) return stored;
    // Without a stamp, it was written before there were any.
    const first = stamp === undefined ? 0 : steps.findLastIndex((step) => step.stamp === stamp);
    return first < 0 ? stored : steps.slice(first).reduce((values, { run }) => run(values), stored);
  };
}

/** Every field with its value, of what these definitions wrote. */
export function compileShown({ collection }: ProfileFields): (stored: JsonObject) => JsonObject {
  const fields = [...collection.fields.values()].map((field) => {
    const unset: Json = fieldType(field).plural(field) ? [] : null;
    return {
      ...{ name: field.name, check: fieldType(field).compile(field), unset },
      preset: storedDefault(field) ?? unset,
    };
  });
  return (stored) =>
    Object.fromEntries(
      fields.map(({ name, check, unset, preset }) => {
        const value = stored[name];
        return [name, value === undefined ? preset : fits(check, value) ? value : unset];
      }),
    );
}

function fits(check: Check, value: Json): boolean {
  let good = true;
  check(value, () => {
    good = false;
  });
  return good;
}
