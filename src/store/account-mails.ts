/** The mails sent to a project's users, and the tokens in them. */

export const mailKinds = ['reset', 'verify', 'email', 'invite', 'emailAsked', 'emailChanged'] as const;
export type MailKind = (typeof mailKinds)[number];

/** A mail waiting to be sent. It holds no token: tokens are created when the mail is sent. */
export interface Mail {
  readonly id: string;
  readonly kind: MailKind;
  /** The recipient. */
  readonly email: string;
  /** `email`: the user; `invite`: the invitation; `emailAsked` and `emailChanged`: the new address. */
  readonly subject: string | null;
  readonly created: number;
  /** Number of attempts to send it so far. */
  readonly tries: number;
}

export type NewMail = Pick<Mail, 'id' | 'kind' | 'email' | 'subject'>;

/** How many mails may go out in an hour for this subject: an address, a user and so on. */
export interface MailLimit {
  readonly subject: string;
  readonly most: number;
}

/** `handed`: a reset by a link that was not mailed, so it proves nothing about the address. */
export type Purpose = 'reset' | 'handed' | 'verify' | 'email';

/** Proves that somebody got the mail. Void once the address or the password of the account has changed. */
export interface MailToken {
  readonly digest: string;
  readonly purpose: Purpose;
  readonly user: string;
  /** The address of the account when the token was made. */
  readonly address: string;
  /** `email`: the new address. */
  readonly target: string | null;
  /** Digest of the password hash. */
  readonly password: string;
  readonly expires: number;
}

export interface AccountMails {
  /** Queues the mails, unless there were too many of late: then returns the milliseconds until there may be another. */
  queueMails(
    mails: readonly NewMail[],
    limits: readonly MailLimit[],
    now: number,
  ): Promise<number | undefined>;
  /** What `queueMails` would answer, without writing anything. */
  findMailWait(limits: readonly MailLimit[], now: number): Promise<number | undefined>;
  /** Mails that are due, oldest first. */
  listDueMails(now: number, most: number): Promise<readonly Mail[]>;
  countMails(): Promise<number>;
  /** Notes that the mail is being tried, and when to try again. false: it is gone, or another process has tried it since. */
  tryMail(id: string, tries: number, again: number): Promise<boolean>;
  /** Whether it is still to be sent. */
  hasMail(id: string): Promise<boolean>;
  removeMail(id: string): Promise<void>;

  addMailToken(token: MailToken, now: number): Promise<void>;
  /** Whether `resetPassword` would succeed now. */
  isResetTokenGood(digest: string, now: number): Promise<boolean>;
  /** Sets a new password, which ends every session and, where the token was mailed, verifies the address. */
  resetPassword(digest: string, passwordHash: string, now: number): Promise<boolean>;
  verifyAddress(digest: string, now: number): Promise<boolean>;
  /**
   * The owner of the address did not make the account: its password, its sessions and all other ways to sign in end. Records
   * and workspaces stay, and only the address can get a new password.
   */
  rejectAddress(digest: string, now: number): Promise<boolean>;
  /** The mail goes to the old address. */
  changeAddress(
    digest: string,
    mail: { readonly id: string } | undefined,
    now: number,
  ): Promise<'changed' | 'taken' | undefined>;
}
