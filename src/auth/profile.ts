import { Failure, Issues, issuesWithin } from '../failure.ts';
import type { Form } from '../model/form.ts';
import type { JsonObject } from '../model/json.ts';
import { hints } from '../model/nearest.ts';
import { compilePayload } from '../model/payload.ts';
import { type ProfileFields, readStoredProfile, stampKey } from '../model/profile.ts';
import { Lru } from '../store/cache.ts';
import type { AuthSettings } from '../store/project-record.ts';
import { compileHistory, compileShown, stampOf } from './stored-profile.ts';

/** The compiled profile definitions of a project. Profiles to be stored carry the stamp of the definitions. */
export interface Profile {
  readonly fields: ProfileFields;
  /** Every field with its value, also of a profile that earlier definitions wrote. A value that no longer fits is unset. */
  shown(stored: JsonObject): JsonObject;
  /** The profile converted to these definitions; undefined if they wrote it already. */
  carried(stored: JsonObject): JsonObject | undefined;
  /** A profile without values. */
  readonly empty: JsonObject;
  /** A value for every field of a new user. */
  create(sent: JsonObject, by: Writer): JsonObject;
  /** Only the fields that were sent. */
  update(sent: JsonObject, by: Writer): JsonObject;
}

type ProfileSettings = Pick<AuthSettings, 'profile' | 'formerProfiles'>;

/** Users can't set fields with `write: 'server'`; server keys and administrators can set all. */
export type Writer = 'user' | 'server';

/** Keyed by the definitions as JSON, so that changed ones get their own entry. Enough for the projects in use at one time. */
const compiled = new Lru<string, Profile>({ most: 200, longestKey: Number.POSITIVE_INFINITY });

export function profileOf({ profile, formerProfiles = [] }: ProfileSettings): Profile {
  const key = JSON.stringify([profile, formerProfiles]);
  const known = compiled.get(key);
  if (known) return known;
  const made = compile({ profile, formerProfiles });
  compiled.set(key, made);
  return made;
}

function compile(settings: Required<ProfileSettings>): Profile {
  const stamp = stampOf(settings.profile);
  const fields = readStoredProfile(settings.profile);
  const { collection, servers } = fields;
  const payload = compilePayload(collection);
  const shown = compileShown(fields);
  const upToDate = compileHistory(settings);
  const stamped = (values: object) => ({ ...(values as JsonObject), [stampKey]: stamp });
  const allowed = (sent: JsonObject, by: Writer) => {
    const issues = new Issues();
    const hint = hints([...collection.fields.keys()]);
    for (const at in sent) {
      if (issues.full) break;
      if (!collection.fields.has(at)) issues.note(at, `is not a field of the profile${hint(at)}`);
      else if (by === 'user' && servers.has(at)) issues.note(at, 'is set by the server alone');
    }
    issues.done();
    return sent;
  };
  return {
    fields,
    shown: (stored) => shown(upToDate(stored)),
    carried(stored) {
      if (stored[stampKey] === stamp) return undefined;
      const values = Object.entries(upToDate(stored)).filter(([name]) => collection.fields.has(name));
      return stamped(Object.fromEntries(values));
    },
    empty: stamped({}),
    create: (sent, by) => stamped(payload.create(allowed(sent, by), false).values),
    update: (sent, by) => stamped(payload.update(allowed(sent, by), false).values),
  };
}

/** Reads `profile` from a form; errors are noted in the form. */
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
