import { invalidToken } from '../access/authority.ts';
import { digest } from '../access/secret.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';
import { badToken, mailLimits, readToken, requireMails } from './mail.ts';

/** POST /v1/:project/_auth/verify/send */
export async function sendVerification(ask: AuthAsk): Promise<string> {
  const { user: id } = requireUser(ask);
  const mails = requireMails(ask);
  const { accounts } = withRights(ask).project.store;
  const user = await accounts.findUser(id);
  if (!user) throw invalidToken();
  if (user.verified) return '{}';
  await mails.queue({
    project: ask.project.id,
    accounts,
    mails: [{ kind: 'verify', email: user.email, subject: null }],
    limits: mailLimits(ask, 'verify', user.email),
    now: ask.now,
  });
  return '{}';
}

/** POST /v1/:project/_auth/verify */
export async function verifyAddress(ask: AuthAsk): Promise<string> {
  const token = digest(await readToken(ask));
  if (!(await ask.project.store.accounts.verifyAddress(token, ask.now))) throw badToken();
  return '{}';
}

/** POST /v1/:project/_auth/verify/reject */
export async function rejectAddress(ask: AuthAsk): Promise<string> {
  const token = digest(await readToken(ask));
  if (!(await ask.project.store.accounts.rejectAddress(token, ask.now))) throw badToken();
  return '{}';
}
