import { newTotpSecret, totpUri } from '../access/totp.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';
import { confirmPassword, readCurrentPassword } from './current-password.ts';
import { confirmCode, confirmFactor, requireCode, requireFirstHalf, spendFirstHalf } from './factor.ts';
import { signIn } from './sign-in.ts';
import type { FirstHalf } from './sign-in-factor.ts';

/** POST /v1/:project/_auth/login/totp */
export async function loginTotp(ask: AuthAsk): Promise<string> {
  const { accounts } = ask.project.store;
  const form = new Form(await ask.body(), ['factorToken', 'code']);
  const [token, code] = [form.text('factorToken'), form.text('code')];
  form.done();
  const { user: id, ...came } = await requireFirstHalf<FirstHalf>(accounts, token, ask.now);
  const user = await accounts.findUser(id);
  if (!user || user.disabled)
    throw new Failure('unauthenticated', 'The account has changed meanwhile: sign in again');
  await requireCode(accounts, user.id, code, ask.now);
  await spendFirstHalf(accounts, token, ask.now);
  return signIn(ask, user, await accounts.firstWorkspaceOf(user.id), came);
}

/** POST /v1/:project/_auth/totp */
export async function beginTotp(ask: AuthAsk): Promise<string> {
  const { user } = requireUser(ask);
  const { accounts } = withRights(ask).project.store;
  const found = await accounts.findUser(user);
  const secret = newTotpSecret();
  if (!found || !(await accounts.beginFactor(user, secret))) {
    throw new Failure('conflict', 'There is a second factor already: turn it off first with DELETE totp');
  }
  return JSON.stringify({ secret, uri: totpUri(ask.name, found.email, secret) });
}

/**
 * POST /v1/:project/_auth/totp/confirm: if the project requires a second factor, all other sessions end. They could only set one
 * up so far, but with their next refresh could do everything, though whoever holds them may have proved only the password.
 */
export async function confirmTotp(ask: AuthAsk): Promise<string> {
  const { user, session } = requireUser(ask);
  const { accounts } = withRights(ask).project.store;
  const form = new Form(await ask.body(), ['code']);
  const code = form.text('code');
  form.done();
  const onlySession = ask.settings.totp === 'required' ? session : undefined;
  return confirmFactor(accounts, user, code, ask.now, onlySession);
}

/** DELETE /v1/:project/_auth/totp: if the project requires a second factor, all sessions end, and the next must set one up. */
export async function endTotp(ask: AuthAsk): Promise<string> {
  const { user } = requireUser(ask);
  const { accounts } = withRights(ask).project.store;
  const form = new Form(await ask.body(), ['currentPassword', 'code']);
  const current = readCurrentPassword(form);
  const code = form.text('code');
  form.done();
  await confirmPassword(ask, current);
  await confirmCode(accounts, user, code, ask.now);
  await accounts.removeFactor(user);
  if (ask.settings.totp === 'required') await accounts.endOtherSessions(user, '');
  return '{}';
}
