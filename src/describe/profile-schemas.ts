import type { JsonObject } from '../model/json.ts';
import { type ProfileFields, readStoredProfile } from '../model/profile.ts';
import type { AuthSettings } from '../store/project-record.ts';
import { answeredProfile } from './answered-profile.ts';
import { createSchema, recordProperties, updateSchema } from './payload-schema.ts';

/** The schemas of user profiles: in responses, and as users send them. */
export function profileSchemas({
  profile,
}: Pick<AuthSettings, 'profile'>): Record<'_profile' | '_newProfile' | '_profileChange', JsonObject> {
  const fields = readStoredProfile(profile);
  const about = ({ label, description }: { label?: string; description?: string }) => ({
    ...(label !== undefined && { title: label }),
    ...(description !== undefined && { description }),
  });
  const { _id, _createdAt, _updatedAt, ...properties } = recordProperties(
    answeredProfile(fields.collection),
    about,
  );
  const own = usersOwn(fields);
  const options = { binding: false, about };
  return {
    _profile: { type: 'object', properties, required: Object.keys(properties) },
    _newProfile: createSchema(own, options),
    _profileChange: updateSchema(own, options),
  };
}

/** Without fields that only the server writes. */
export function usersOwn({ collection, servers }: ProfileFields): ProfileFields['collection'] {
  const fields = [...collection.fields].filter(([name]) => !servers.has(name));
  return { ...collection, fields: new Map(fields) };
}
