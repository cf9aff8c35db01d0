import type { Authority } from '../access/authority.ts';
import type { Factors, SignInSteps } from './factors.ts';
import type { Page, Paged } from './paged.ts';

export interface NewAdministratorSession {
  readonly digest: string;
  readonly email: string;
  /** When it ends however much it is used. */
  readonly ends: number;
  /** The one that was verified. */
  readonly passwordHash: string;
}

export interface AdministratorSession {
  readonly email: string;
  /** When it ends unless it is used before. */
  readonly expires: number;
}

/** Milliseconds that a session of an administrator lasts after its last use. */
export const administratorIdle = 30 * 60_000;

export interface Ticket {
  readonly digest: string;
  /** Path and query of the one request that it is good for. */
  readonly path: string;
  readonly expires: number;
  /** Who made it, as the audit names them. */
  readonly actor: string;
}

/** Those who manage the instance, beside whoever holds VITRINE_ADMIN_KEY. */
export interface Administrators extends Factors, SignInSteps {
  /** The same, for one of them whose sign-in is looked at again by whatever writes. */
  as(authority: Authority): Administrators;
  any(): Promise<boolean>;
  findPassword(email: string): Promise<string | undefined>;
  /** Makes one, or gives them a new password, which ends their sign-ins. */
  save(email: string, passwordHash: string): Promise<void>;
  list(page: Page): Promise<Paged<string>>;
  /**
   * Removes the one whose address it is, invited or not, with their sessions and tickets, and the invitations of the addresses of which
   * `isTheirs` says so then. The only administrator there is stays.
   */
  remove(
    isIt: (email: string) => boolean,
    isTheirs: (invited: string) => boolean,
  ): Promise<'removed' | 'absent' | 'last'>;
  /** false: the password is another one by now. */
  openSession(session: NewAdministratorSession, now: number): Promise<boolean>;
  /** The session, if it is alive; it then lives on from now. */
  useSession(digest: string, now: number): Promise<AdministratorSession | undefined>;
  /** Whether it is alive, which does not count as a use. */
  hasSession(digest: string, now: number): Promise<boolean>;
  /** With the tickets of whoever it is. */
  endSession(digest: string): Promise<void>;
  /** Replaces the token of the one-time set-up link. */
  offerSetup(digest: string): Promise<void>;
  withdrawSetup(): Promise<void>;
  /** Replaces an earlier invitation of that address; false: it is an administrator already. */
  invite(invitation: { digest: string; email: string; expires: number }): Promise<boolean>;
  /** Those for addresses of which it says so. */
  withdrawInvitations(isIt: (email: string) => boolean): Promise<void>;
  /** Whether `completeSetup` would do it now. */
  isSetupOpen(digest: string, email: string, now: number): Promise<boolean>;
  /**
   * Makes the first administrator, or one who was invited. false where the token is neither the one offered, there
   * being none yet, nor that of an invitation of this address.
   */
  completeSetup(digest: string, email: string, passwordHash: string, now: number): Promise<boolean>;
  saveTicket(ticket: Ticket, now: number): Promise<void>;
  /** Who made it, where there was one for this path. It is gone either way. */
  spendTicket(digest: string, path: string, now: number): Promise<string | undefined>;
}
