import { v7 as uuidv7 } from 'uuid';
import { type Passwords, passwordRule } from '../access/password.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import type { JsonObject } from '../model/json.ts';
import type { Accounts, User } from '../store/accounts.ts';
import { emailTaken } from '../store/email-taken.ts';
import type { AuthSettings } from '../store/project-record.ts';
import type { AuthAsk } from './ask.ts';
import { profileOf, readSentProfile, type Writer } from './profile.ts';
import { newSession, tokensResult } from './sign-in.ts';

/** POST /v1/:project/_auth/register */
export async function register(ask: AuthAsk): Promise<string> {
  if (ask.settings.registration === 'closed') {
    throw new Failure('forbidden', 'Registration is closed: ask whoever runs this project for an account');
  }
  const { user, passwordHash } = await readUser(ask, await ask.body(), 'user');
  const { session, refreshToken } = newSession(ask, user, null, { passwordHash });
  // One transaction: an account is never created without its mail.
  const made = await ask.project.store.accounts.createUser(user, passwordHash, session);
  if (!made) throw emailTaken(user.email);
  return tokensResult(ask, { id: session.id, user, workspace: null }, refreshToken);
}

/** Creates a user for the management API. */
export async function createUser(
  accounts: Accounts,
  settings: AuthSettings,
  passwords: Passwords,
  body: JsonObject,
  now: number,
): Promise<User> {
  const { user, passwordHash } = await readUser({ settings, passwords, now }, body, 'server');
  if (!(await accounts.createUser(user, passwordHash))) throw emailTaken(user.email);
  return user;
}

async function readUser(
  { settings, passwords, now }: Pick<AuthAsk, 'settings' | 'passwords' | 'now'>,
  body: JsonObject,
  by: Writer,
): Promise<{ user: User; passwordHash: string }> {
  const form = new Form(body, ['email', 'password', 'name', 'profile']);
  const email = form.email('email');
  const password = form.text('password', passwordRule);
  const name = form.has('name') ? form.text('name', { least: 0 }) : '';
  const profile = readSentProfile(form, (sent) => profileOf(settings).create(sent, by));
  form.done();
  const user: User = {
    ...{ id: uuidv7(), email, name, disabled: false, verified: false, profile },
    ...{ created: now, updated: now },
  };
  return { user, passwordHash: await passwords.hash(password) };
}
