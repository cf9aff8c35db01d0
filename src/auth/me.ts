import { invalidToken } from '../access/authority.ts';
import { passwordRule } from '../access/password.ts';
import { Form } from '../model/form.ts';
import type { JsonObject } from '../model/json.ts';
import type { UserChange } from '../store/accounts.ts';
import type { AuthSettings } from '../store/project-record.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';
import { changeUser } from './change-user.ts';
import { confirmPassword, readCurrentPassword } from './current-password.ts';
import { profileOf, readSentProfile } from './profile.ts';
import { userResult } from './sign-in.ts';

/** GET /v1/:project/_auth/me */
export async function viewMe(ask: AuthAsk): Promise<string> {
  const { user, workspace } = requireUser(ask);
  const found = await ask.project.store.accounts.findUser(user);
  if (!found) throw invalidToken();
  return JSON.stringify(userResult(ask.settings, found, workspace));
}

/** PATCH /v1/:project/_auth/me: a new password ends all sessions, including this one. */
export async function updateMe(ask: AuthAsk): Promise<string> {
  const { user, workspace } = requireUser(ask);
  const { accounts } = withRights(ask).project.store;
  const body = await ask.body();
  const { password, current } = readChange(body, ask.settings);
  const hash = password === undefined ? {} : await newPassword(ask, current, password);
  const { updated, settings } = await changeUser(accounts, user, ask, (settings) => {
    return { ...readChange(body, settings).plain, ...hash };
  });
  if (!updated) throw invalidToken();
  return JSON.stringify(userResult(settings, updated, workspace));
}

function readChange(body: JsonObject, settings: AuthSettings) {
  const form = new Form(body, ['name', 'profile', 'password', 'currentPassword']);
  const { update } = profileOf(settings);
  const plain: UserChange = {
    ...(form.has('name') && { name: form.text('name', { least: 0 }) }),
    ...(form.has('profile') && { profile: readSentProfile(form, (sent) => update(sent, 'user')) }),
  };
  const password = form.has('password') ? form.text('password', passwordRule) : undefined;
  const current = readCurrentPassword(form);
  form.done();
  return { plain, password, current };
}

async function newPassword(ask: AuthAsk, current: string | undefined, password: string): Promise<UserChange> {
  const { hash } = await confirmPassword(ask, current);
  return { passwordHash: await ask.passwords.hash(password), ifPasswordHash: hash };
}
