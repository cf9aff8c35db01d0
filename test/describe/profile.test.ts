import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compileShown } from '../../src/auth/stored-profile.ts';
import { profileSchemas } from '../../src/describe/profile-schemas.ts';
import { projectTypes } from '../../src/describe/types.ts';
import { readStoredProfile } from '../../src/model/profile.ts';
import { misfit } from '../fits.ts';

const profile = {
  city: { type: 'text', required: true },
  tags: { type: 'list', of: { type: 'text' }, required: true, minItems: 1 },
};

it('the description of a profile fits those who came by a provider, and have none of the required values yet', () => {
  const { _profile, _newProfile } = profileSchemas({ profile });
  const fields = readStoredProfile(profile);
  assert.equal(misfit(compileShown(fields)({}), _profile, {}), undefined);
  assert.equal(misfit({ city: 'Oslo', tags: ['a'] }, _profile, {}), undefined);
  assert.ok(misfit({}, _newProfile, {}), 'who registers sends them');
  const types = projectTypes('app', [], fields.collection);
  assert.match(types, /city: string \| null;/);
  assert.match(types, /tags: string\[\];/);
});
