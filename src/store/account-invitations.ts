import type { MailLimit, NewMail } from './account-mails.ts';
import type { Page, Paged } from './paged.ts';
import type { Role } from './roles.ts';

/** An address that may join a workspace, once whoever has it says so. */
export interface Invitation {
  readonly id: string;
  readonly workspace: { readonly id: string; readonly name: string };
  readonly email: string;
  readonly role: Role;
  readonly created: number;
  readonly expires: number;
}

export interface NewInvitation extends Omit<Invitation, 'workspace'> {
  readonly workspace: string;
  /** Of a token that was handed out already; null where it is made when the mail is sent. */
  readonly digest: string | null;
}

/** Why an invitation can't be accepted. `unproven`: nothing shows that the address is theirs. */
export type NotAccepted = 'absent' | 'unproven' | 'wrongToken';

export interface AccountInvitations {
  /** In place of an earlier one for the same address; a number: after so many milliseconds there may be another. */
  invite(
    invitation: NewInvitation,
    mail: NewMail | undefined,
    limits: readonly MailLimit[],
    now: number,
  ): Promise<'invited' | 'member' | number>;
  listInvitations(workspace: string, now: number, page: Page): Promise<Paged<Invitation>>;
  listInvitationsFor(email: string, now: number, page: Page): Promise<Paged<Invitation>>;
  withdrawInvitation(workspace: string, id: string): Promise<boolean>;
  /** Gives it one more token, for the mail that is sent now: one before may have come too. undefined: it is not there any more. */
  offerInvitation(id: string, digest: string, now: number): Promise<{ readonly name: string } | undefined>;
  acceptInvitation(
    id: string,
    user: string,
    digest: string | undefined,
    now: number,
  ): Promise<{ readonly id: string; readonly name: string; readonly role: Role } | NotAccepted>;
  /** false: there is none for the address of that user. */
  declineInvitation(id: string, user: string): Promise<boolean>;
}
