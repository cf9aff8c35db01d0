import type { MailLimit, NewMail } from './account-mails.ts';
import type { Page, Paged } from './paged.ts';
import type { Role } from './roles.ts';

/** An invitation of an address to a workspace, until its owner accepts or declines. */
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
  /** The digest of a token that was handed out already; null where the token is made when the mail is sent. */
  readonly digest: string | null;
}

/** Why an invitation can't be accepted. `unproven`: nothing proves that the address belongs to the user. */
export type NotAccepted = 'absent' | 'unproven' | 'wrongToken';

export interface AccountInvitations {
  /** Replaces an earlier invitation of the same address. A number: milliseconds until there may be another. */
  invite(
    invitation: NewInvitation,
    mail: NewMail | undefined,
    limits: readonly MailLimit[],
    now: number,
  ): Promise<'invited' | 'member' | number>;
  listInvitations(workspace: string, now: number, page: Page): Promise<Paged<Invitation>>;
  listInvitationsFor(email: string, now: number, page: Page): Promise<Paged<Invitation>>;
  withdrawInvitation(workspace: string, id: string): Promise<boolean>;
  /** Adds a token for the mail that is sent now; an earlier mail may have arrived too. undefined: the invitation is gone. */
  offerInvitation(id: string, digest: string, now: number): Promise<{ readonly name: string } | undefined>;
  acceptInvitation(
    id: string,
    user: string,
    digest: string | undefined,
    now: number,
  ): Promise<{ readonly id: string; readonly name: string; readonly role: Role } | NotAccepted>;
  /** false: there is no such invitation for the user's address. */
  declineInvitation(id: string, user: string): Promise<boolean>;
}
