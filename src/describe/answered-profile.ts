import type { Collection } from '../model/collection.ts';

/** As profiles are answered: those of users who came by a provider, or before a field, have none of the required values yet. */
export function answeredProfile(profile: Collection): Collection {
  const fields = [...profile.fields].map(([name, field]) => [name, { ...field, required: false }] as const);
  return { ...profile, fields: new Map(fields) };
}
