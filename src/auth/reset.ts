import { passwordRule } from '../access/password.ts';
import { digest } from '../access/secret.ts';
import { Form } from '../model/form.ts';
import type { AuthAsk } from './ask.ts';
import { badToken, mailLimits, requireMails } from './mail.ts';

/** POST /v1/:project/_auth/forgot: the account is looked up only when the mail is sent, so that the response reveals nothing. */
export async function forgotPassword(ask: AuthAsk): Promise<string> {
  const mails = requireMails(ask);
  const form = new Form(await ask.body(), ['email']);
  const email = form.email('email');
  form.done();
  await mails.queue({
    project: ask.project.id,
    accounts: ask.project.store.accounts,
    mails: [{ kind: 'reset', email, subject: null }],
    limits: mailLimits(ask, 'reset', email),
    now: ask.now,
  });
  return '{}';
}

/** POST /v1/:project/_auth/reset */
export async function resetPassword(ask: AuthAsk): Promise<string> {
  const { accounts } = ask.project.store;
  const form = new Form(await ask.body(), ['token', 'password']);
  const token = digest(form.text('token', { most: 500 }));
  const password = form.text('password', passwordRule);
  form.done();
  // Hashing is expensive, so the token is checked first.
  if (!(await accounts.isResetTokenGood(token, ask.now))) throw badToken();
  const hash = await ask.passwords.hash(password);
  if (!(await accounts.resetPassword(token, hash, ask.now))) throw badToken();
  return '{}';
}
