import { v7 as uuidv7 } from 'uuid';
import { digest } from '../access/secret.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';
import { confirmPassword, readCurrentPassword } from './current-password.ts';
import { badToken, mailLimits, readToken, requireMails } from './mail.ts';

/** POST /v1/:project/_auth/email: sends a mail to the new address, if no account has it, and notifies the old one. */
export async function changeEmail(ask: AuthAsk): Promise<string> {
  requireUser(ask);
  const mails = requireMails(ask);
  const form = new Form(await ask.body(), ['email', 'currentPassword']);
  const email = form.email('email');
  const current = readCurrentPassword(form);
  form.done();
  const { user } = await confirmPassword(ask, current);
  if (user.email === email) throw new Failure('invalid', 'email: is your address already');
  await mails.queue({
    project: ask.project.id,
    accounts: withRights(ask).project.store.accounts,
    mails: [
      { kind: 'email', email, subject: user.id },
      { kind: 'emailAsked', email: user.email, subject: email },
    ],
    limits: [...mailLimits(ask, 'email', email), { subject: `emailAsked ${user.email}`, most: 5 }],
    now: ask.now,
  });
  return '{}';
}

/** POST /v1/:project/_auth/email/confirm */
export async function confirmEmail(ask: AuthAsk): Promise<string> {
  const { mails, now, project } = ask;
  const token = digest(await readToken(ask));
  const mail = mails && { id: uuidv7({ msecs: now }) };
  const change = () => project.store.accounts.changeAddress(token, mail, now);
  const outcome = await (mails ? mails.announce(project.id, change) : change());
  if (outcome === 'taken') throw new Failure('conflict', 'Another account has the address by now');
  if (outcome !== 'changed') throw badToken();
  return '{}';
}
