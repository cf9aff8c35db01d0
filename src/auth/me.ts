import { passwordRule } from '../access/password.ts';
import { Form } from '../model/form.ts';
import type { UserChange } from '../store/accounts.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';
import { confirmPassword, gone, readCurrentPassword } from './current-password.ts';
import { profileOf, readSentProfile } from './profile.ts';
import { userResult } from './sign-in.ts';

/** GET /v1/:project/_auth/me */
export async function viewMe(ask: AuthAsk): Promise<string> {
  const { user, workspace } = requireUser(ask);
  const found = await ask.project.store.accounts.findUser(user);
  if (!found) throw gone();
  return JSON.stringify(userResult(ask.settings, found, workspace));
}

/** PATCH /v1/:project/_auth/me: a new password ends every sign-in, this one too. */
export async function updateMe(ask: AuthAsk): Promise<string> {
  const { user, workspace } = requireUser(ask);
  const { accounts } = withRights(ask).project.store;
  const form = new Form(await ask.body(), ['name', 'profile', 'password', 'currentPassword']);
  const { update } = profileOf(ask.settings);
  const plain = {
    ...(form.has('name') && { name: form.text('name', { least: 0 }) }),
    ...(form.has('profile') && { profile: readSentProfile(form, (sent) => update(sent, 'user')) }),
  };
  const password = form.has('password') ? form.text('password', passwordRule) : undefined;
  const current = readCurrentPassword(form);
  form.done();
  const change =
    password === undefined ? plain : { ...plain, ...(await newPassword(ask, current, password)) };
  const updated = await accounts.updateUser(user, change, ask.now);
  if (!updated) throw gone();
  return JSON.stringify(userResult(ask.settings, updated, workspace));
}

async function newPassword(ask: AuthAsk, current: string | undefined, password: string): Promise<UserChange> {
  const { hash } = await confirmPassword(ask, current);
  return { passwordHash: await ask.passwords.hash(password), ifPasswordHash: hash };
}
