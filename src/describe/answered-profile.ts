import type { Collection } from '../model/collection.ts';

/** Profiles in responses: users who signed up with a provider, or before a field was added, lack its required value. */
export function answeredProfile(profile: Collection): Collection {
  const fields = [...profile.fields].map(([name, field]) => [name, { ...field, required: false }] as const);
  return { ...profile, fields: new Map(fields) };
}
