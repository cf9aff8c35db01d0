import { addressKey } from '../access/caller.ts';
import { Failure } from '../failure.ts';
import type { Mails } from '../mail/mails.ts';
import { Form } from '../model/form.ts';
import type { MailKind, MailLimit } from '../store/account-mails.ts';
import type { AuthAsk } from './ask.ts';

const mostOfKind = 5;
const mostFromAddress = 30;

export function requireMails({ mails }: AuthAsk): Mails {
  if (mails) return mails;
  throw new Failure(
    'notSetUp',
    'This server sends no mail: start it with --mail, --mail-from and --public-url',
  );
}

/** Counts per requested address, whether or not an account has it, and per client address. */
export function mailLimits({ address }: AuthAsk, kind: MailKind, email: string): MailLimit[] {
  return [
    { subject: `${kind} ${email}`, most: mostOfKind },
    { subject: addressKey(address), most: mostFromAddress },
  ];
}

export async function readToken(ask: AuthAsk): Promise<string> {
  const form = new Form(await ask.body(), ['token']);
  const token = form.text('token', { most: 500 });
  form.done();
  return token;
}

export function badToken(): Failure {
  return new Failure('invalid', 'token: is not valid or has expired: ask for a new mail');
}
