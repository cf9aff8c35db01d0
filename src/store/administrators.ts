import type { Authority } from '../access/authority.ts';
import type { Factors, SignInSteps } from './factors.ts';
import type { Page, Paged } from './paged.ts';

export interface NewAdministratorSession {
  readonly digest: string;
  readonly email: string;
  /** When it ends, however much it is used. */
  readonly ends: number;
  /** The hash that was verified. */
  readonly passwordHash: string;
}

export interface AdministratorSession {
  readonly email: string;
  /** When it ends unless it is used before then. */
  readonly expires: number;
}

export interface AdministratorInvitation {
  readonly email: string;
  readonly expires: number;
}

/** Milliseconds without use after which an administrator's session expires. */
export const administratorIdle = 30 * 60_000;

export interface Ticket {
  readonly digest: string;
  /** Path and query of the only request that the ticket is valid for. */
  readonly path: string;
  readonly expires: number;
  /** Who created it, named as in the audit log. */
  readonly actor: string;
}

/** Those who manage the instance, apart from whoever holds VITRINE_ADMIN_KEY. */
export interface Administrators extends Factors, SignInSteps {
  /** The same for an administrator whose session every write checks again. */
  as(authority: Authority): Administrators;
  any(): Promise<boolean>;
  findPassword(email: string): Promise<string | undefined>;
  /** Makes an administrator, or gives them a new password, which ends their sessions. */
  save(email: string, passwordHash: string): Promise<void>;
  list(page: Page): Promise<Paged<string>>;
  /**
   * Removes the administrator or the invitation whose address `isIt` accepts, with their sessions and tickets, and the
   * invitations whose addresses `isTheirs` accepts. The only administrator stays.
   */
  remove(
    isIt: (email: string) => boolean,
    isTheirs: (invited: string) => boolean,
  ): Promise<'removed' | 'absent' | 'last'>;
  /** false: the password has changed meanwhile. */
  openSession(session: NewAdministratorSession, now: number): Promise<boolean>;
  /** The session, if it is alive; this counts as a use of it. */
  useSession(digest: string, now: number): Promise<AdministratorSession | undefined>;
  /** Whether it is alive; this does not count as a use. */
  hasSession(digest: string, now: number): Promise<boolean>;
  /** Also ends the tickets of that administrator. */
  endSession(digest: string): Promise<void>;
  /** Replaces the token of the one-time set-up link. */
  offerSetup(digest: string): Promise<void>;
  withdrawSetup(): Promise<void>;
  /** Replaces an earlier invitation of the address. false: it already belongs to an administrator. */
  invite(invitation: AdministratorInvitation & { readonly digest: string }): Promise<boolean>;
  /** Those that can still be used. */
  listInvitations(page: Page, now: number): Promise<Paged<AdministratorInvitation>>;
  /** Withdraws the invitations whose addresses `isIt` accepts, and tells how many these were. */
  withdrawInvitations(isIt: (email: string) => boolean): Promise<number>;
  /** Whether `completeSetup` would succeed now. */
  isSetupOpen(digest: string, email: string, now: number): Promise<boolean>;
  /**
   * Makes the first administrator, or one who was invited. false: the token is not that of an invitation of this address, and
   * not the one offered, or there is an administrator already.
   */
  completeSetup(digest: string, email: string, passwordHash: string, now: number): Promise<boolean>;
  saveTicket(ticket: Ticket, now: number): Promise<void>;
  /** Who made the ticket, if it was for this path. It is gone either way. */
  spendTicket(digest: string, path: string, now: number): Promise<string | undefined>;
}
