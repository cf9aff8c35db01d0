/** A user as the store takes it. */
export const storedUser = {
  id: 'u',
  email: 'a@b.co',
  name: '',
  disabled: false,
  verified: false,
  profile: {},
  created: 1,
  updated: 1,
};
