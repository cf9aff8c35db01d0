import { digest } from '../access/secret.ts';
import { compileCarry, storedDefault } from '../model/carry.ts';
import type { Check } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { type ProfileFields, readStoredProfile, stampKey } from '../model/profile.ts';
import type { AuthSettings } from '../store/project-record.ts';

/** Identifies definitions, regardless of the order of their fields. */
export function stampOf(profile: JsonObject): string {
  const fields = Object.keys(profile).sort();
  return digest(JSON.stringify(fields.map((name) => [name, profile[name] ?? null]))).slice(0, 12);
}

/**
 * Converts a stored profile to the current definitions: values that earlier definitions wrote are carried through each later
 * change. So it does not matter when a user's profile is rewritten after a change, or whether a process that did not know of the
 * change yet wrote it meanwhile. A profile with an unknown stamp is taken as it is.
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
    // A profile without a stamp was written before stamps existed.
    const first = stamp === undefined ? 0 : steps.findLastIndex((step) => step.stamp === stamp);
    return first < 0 ? stored : steps.slice(first).reduce((values, { run }) => run(values), stored);
  };
}

/** Reads a profile that these definitions wrote: every field with its value. */
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
