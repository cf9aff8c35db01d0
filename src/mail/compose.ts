import { digest, randomSecret } from '../access/secret.ts';
import type { LinkKind } from '../model/mail-settings.ts';
import type { Mail, Purpose } from '../store/account-mails.ts';
import type { Accounts, User } from '../store/accounts.ts';
import type { ProjectRecord } from '../store/project-record.ts';
import { type MailValues, type Message, writeMessage } from './message.ts';

const hour = 60 * 60_000;

/** Milliseconds for which the token of a mail is valid. */
export const tokenLife: Readonly<Record<Purpose, number>> = {
  reset: hour,
  handed: hour,
  verify: 24 * hour,
  email: 24 * hour,
};

export interface ComposeOptions {
  readonly project: ProjectRecord;
  readonly accounts: Accounts;
  readonly publicUrl: string;
  readonly now: number;
}

/** The mail to send, with a new token; undefined if there is nobody to send it to. */
export async function compose(mail: Mail, options: ComposeOptions): Promise<Message | undefined> {
  const values = await findValues(mail, options);
  if (!values) return undefined;
  const { name, auth } = options.project;
  return writeMessage(mail.kind, { ...values, email: mail.email, project: name }, auth.mail);
}

async function findValues(mail: Mail, options: ComposeOptions): Promise<MailValues | undefined> {
  const { accounts } = options;
  const subject = mail.subject ?? '';
  switch (mail.kind) {
    case 'reset': {
      const known = await accounts.findPassword(mail.email);
      if (!known || known.user.disabled) return undefined;
      return withLink('reset', known.user, known.hash, null, options);
    }
    case 'verify': {
      const known = await accounts.findPassword(mail.email);
      if (!known || known.user.disabled || known.user.verified) return undefined;
      return withLink('verify', known.user, known.hash, null, options);
    }
    case 'email': {
      const user = await accounts.findUser(subject);
      const known = user && (await accounts.findPassword(user.email));
      if (!known || known.user.disabled || (await accounts.findPassword(mail.email))) return undefined;
      // A new password removes the mail. Checked after the password was read, so that the token is never bound to a later one.
      if (!(await accounts.hasMail(mail.id))) return undefined;
      return withLink('email', known.user, known.hash, mail.email, options);
    }
    case 'invite': {
      const token = randomSecret();
      const workspace = await accounts.offerInvitation(subject, digest(token), options.now);
      return workspace && { workspace: workspace.name, link: linkOf('invite', token, options, subject) };
    }
    case 'emailAsked':
    case 'emailChanged':
      return { newEmail: subject };
  }
}

async function withLink(
  purpose: Exclude<Purpose, 'handed'>,
  user: User,
  passwordHash: string,
  target: string | null,
  options: ComposeOptions,
): Promise<MailValues> {
  const token = await makeToken(purpose, user, passwordHash, target, options);
  return { name: user.name, link: linkOf(purpose, token, options) };
}

/** Also used for links that are handed over in another way. */
export async function makeToken(
  purpose: Purpose,
  { id, email }: User,
  passwordHash: string,
  target: string | null,
  { accounts, now }: Pick<ComposeOptions, 'accounts' | 'now'>,
): Promise<string> {
  const token = randomSecret();
  const bound = { purpose, user: id, address: email, target, password: digest(passwordHash) };
  await accounts.addMailToken({ digest: digest(token), ...bound, expires: now + tokenLife[purpose] }, now);
  return token;
}

/** A link to the app's page if it has one, else to ours, which takes the token from the fragment, so that it is in no log. */
export function linkOf(
  kind: LinkKind,
  token: string,
  { project, publicUrl }: Pick<ComposeOptions, 'project' | 'publicUrl'>,
  invitation = '',
): string {
  const own = project.auth.mail.links?.[kind];
  if (own !== undefined) return own.replace('{token}', token).replaceAll('{invitation}', invitation);
  const more = kind === 'invite' ? `&invitation=${invitation}` : '';
  return `${publicUrl}/_mail/${kind}/${project.id}#token=${token}${more}`;
}
