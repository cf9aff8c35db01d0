import { Failure, issuesWithin } from '../failure.ts';
import type { Check } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import type { Form } from '../model/form.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { didYouMean } from '../model/nearest.ts';
import { compilePayload } from '../model/payload.ts';
import { type ProfileFields, readStoredProfile } from '../model/profile.ts';
import { Lru } from '../store/cache.ts';
import type { AuthSettings } from '../store/project-record.ts';

/** What the profiles of a project's users hold, ready for use. */
export interface Profile {
  readonly fields: ProfileFields;
  /** Every field with its value. One that does not fit the definitions any more is unset. */
  shown(stored: JsonObject): JsonObject;
  /** A value for every field of a new user. */
  create(sent: JsonObject, by: Writer): JsonObject;
  /** Only what was sent. */
  update(sent: JsonObject, by: Writer): JsonObject;
}

/** Users set what is theirs; server keys and the administrator everything. */
export type Writer = 'user' | 'server';

/** By the text of the definitions: other definitions are another entry. As many projects as are busy at once. */
const compiled = new Lru<string, Profile>({ most: 200 });

export function profileOf({ profile }: Pick<AuthSettings, 'profile'>): Profile {
  const key = JSON.stringify(profile);
  const known = compiled.get(key);
  if (known) return known;
  const made = compile(readStoredProfile(profile));
  compiled.set(key, made);
  return made;
}

export function compile(fields: ProfileFields): Profile {
  const { collection, servers } = fields;
  const payload = compilePayload(collection);
  const shown = [...collection.fields.values()].map((field) => {
    const unset: Json = fieldType(field).plural(field) ? [] : null;
    return {
      ...{ name: field.name, check: fieldType(field).compile(field), unset },
      preset: field.default ?? unset,
    };
  });
  const allowed = (sent: JsonObject, by: Writer) => {
    const faults = Object.keys(sent).flatMap((at) => {
      if (!collection.fields.has(at))
        return [
          { at, message: `is not a field of the profile${didYouMean(at, [...collection.fields.keys()])}` },
        ];
      return by === 'user' && servers.has(at) ? [{ at, message: 'is set by the server alone' }] : [];
    });
    if (faults.length > 0) throw new Failure('invalid', faults);
    return sent;
  };
  return {
    fields,
    shown: (stored) =>
      Object.fromEntries(
        shown.map(({ name, check, unset, preset }) => {
          const value = stored[name];
          return [name, value === undefined ? preset : fits(check, value) ? value : unset];
        }),
      ),
    create: (sent, by) => payload.create(allowed(sent, by), false).values as JsonObject,
    update: (sent, by) => payload.update(allowed(sent, by), false).values as JsonObject,
  };
}

function fits(check: Check, value: Json): boolean {
  let good = true;
  check(value, () => {
    good = false;
  });
  return good;
}

/** `profile` of a form; what is wrong with it is noted there. */
export function readSentProfile(form: Form, read: (sent: JsonObject) => JsonObject): JsonObject {
  const sent = form.has('profile') ? form.json('profile') : {};
  try {
    return read(sent);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    for (const { at, message } of issuesWithin('profile', error)) form.fault(at, message);
    return {};
  }
}
