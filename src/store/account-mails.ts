/** What is mailed to the people of a project, and what the mails prove. */

export const mailKinds = ['reset', 'verify', 'email', 'invite', 'emailAsked', 'emailChanged'] as const;
export type MailKind = (typeof mailKinds)[number];

/** A mail that waits to be sent. It holds no token: that is made when it is sent. */
export interface Mail {
  readonly id: string;
  readonly kind: MailKind;
  /** Whom it goes to. */
  readonly email: string;
  /** `email`: the user; `invite`: the invitation; `emailAsked` and `emailChanged`: the new address. */
  readonly subject: string | null;
  readonly created: number;
  /** How often it was tried. */
  readonly tries: number;
}

export type NewMail = Pick<Mail, 'id' | 'kind' | 'email' | 'subject'>;

/** So many in an hour for whatever has this name. */
export interface MailLimit {
  readonly subject: string;
  readonly most: number;
}

/** `handed`: a reset by a link that was not mailed, which shows nothing about the address. */
export type Purpose = 'reset' | 'handed' | 'verify' | 'email';

/** What a mail proves to whoever got it, as long as address and password of the account are what they were. */
export interface MailToken {
  readonly digest: string;
  readonly purpose: Purpose;
  readonly user: string;
  /** Of the account when the token was made. */
  readonly address: string;
  /** `email`: the address it is to have. */
  readonly target: string | null;
  /** The digest of the password's hash. */
  readonly password: string;
  readonly expires: number;
}

export interface AccountMails {
  /** Writes them down, unless there were too many of late: then after how many milliseconds there may be another. */
  queueMails(
    mails: readonly NewMail[],
    limits: readonly MailLimit[],
    now: number,
  ): Promise<number | undefined>;
  /** What `queueMails` would answer, without writing anything. */
  findMailWait(limits: readonly MailLimit[], now: number): Promise<number | undefined>;
  /** Those that are due, the oldest first. */
  listDueMails(now: number, most: number): Promise<readonly Mail[]>;
  countMails(): Promise<number>;
  /** Says that it is being tried, and when again. false: it is not there any more, or somebody else has tried it since. */
  tryMail(id: string, tries: number, again: number): Promise<boolean>;
  /** Whether it is to be sent still. */
  hasMail(id: string): Promise<boolean>;
  removeMail(id: string): Promise<void>;

  addMailToken(token: MailToken, now: number): Promise<void>;
  /** Whether `resetPassword` would do it now. */
  isResetTokenGood(digest: string, now: number): Promise<boolean>;
  /** A new password for whoever has the token, which ends every sign-in and, where it was mailed, verifies the address. */
  resetPassword(digest: string, passwordHash: string, now: number): Promise<boolean>;
  verifyAddress(digest: string, now: number): Promise<boolean>;
  /**
   * Whoever has the address did not make the account: its password, every sign-in and all other ways in end. Records and workspaces stay, and
   * a new password goes to the address alone.
   */
  rejectAddress(digest: string, now: number): Promise<boolean>;
  /** The mail tells the address that was. */
  changeAddress(
    digest: string,
    mail: { readonly id: string } | undefined,
    now: number,
  ): Promise<'changed' | 'taken' | undefined>;
}
