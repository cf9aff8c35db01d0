import type { Authority } from '../access/authority.ts';
import type { KeyAccess } from '../access/caller.ts';
import type { ReadTurn } from '../access/turns.ts';
import type { Awaitable } from '../awaitable.ts';
import type { JsonObject } from '../model/json.ts';
import type { AccountInvitations } from './account-invitations.ts';
import type { AccountMails } from './account-mails.ts';
import type { Factors, SignInSteps } from './factors.ts';
import type { Identities, Identity } from './identities.ts';
import type { Page, Paged } from './paged.ts';
import type { Role } from './roles.ts';

/** A project's users with their sessions, its workspaces and its server keys. */

export interface User {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly disabled: boolean;
  /** Whether they have proved that the address is theirs. */
  readonly verified: boolean;
  /** Values of the profile fields that the project defines. */
  readonly profile: JsonObject;
  readonly created: number;
  readonly updated: number;
}

export interface UserChange {
  readonly name?: string;
  /** Lower case. A new address is not verified unless the change says so; one that is taken is refused. */
  readonly email?: string;
  /** A new hash ends all sessions. */
  readonly passwordHash?: string;
  /** The change is made only if this is still the hash. */
  readonly ifPasswordHash?: string;
  /** true ends all sessions. */
  readonly disabled?: boolean;
  readonly verified?: boolean;
  /**
   * Only the values that change, with the stamp of the definitions they were checked against. StaleProfile where the stored
   * profile has another stamp.
   */
  readonly profile?: JsonObject;
}

export interface UserDeletion {
  /** What becomes of their records, and of those in workspaces where they are the only member. */
  readonly records: 'keep' | 'delete';
  /** What to do where they are the last owner among other members: refuse, or make the longest member the owner. */
  readonly lastOwner: 'refuse' | 'replace';
  readonly now: number;
}

export interface Departure {
  readonly id: string;
  readonly kind: 'user' | 'workspace';
}

export interface UserFilter {
  /** Lower case. */
  readonly email?: string;
  /** Folded words, all of which must occur in the address or the name. */
  readonly search?: readonly string[];
}

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly created: number;
  readonly updated: number;
}

export interface Member {
  readonly user: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

export interface ServerKey {
  readonly id: string;
  readonly name: string;
  readonly access: KeyAccess;
  /** From then on the key is refused; null: it does not expire. */
  readonly expires: number | null;
  /** Time of last use, rounded to the hour; null: never used. */
  readonly used: number | null;
  readonly created: number;
}

/** When and from where a session was last used to get tokens. */
export interface Seen {
  readonly used: number;
  readonly address: string;
  /** The client's User-Agent. */
  readonly agent: string;
}

/** A session, as the user sees it in the list of their sessions. */
export interface SessionPlace extends Seen {
  readonly id: string;
}

/** A session in which somebody else acts for a user, for a limited time. */
export interface Impersonation {
  readonly id: string;
  readonly user: string;
  readonly workspace: string | null;
  readonly expires: number;
  readonly impersonator: string;
  readonly seen: Seen;
}

/** One sign-in: a family of refresh tokens, each of which replaces the one before. */
export interface NewSession {
  readonly id: string;
  readonly user: string;
  readonly workspace: string | null;
  readonly tokenDigest: string;
  readonly expires: number;
  readonly seen: Seen;
  /**
   * Must still hold when the session begins: the password that was verified, or that the user had when they signed in by the
   * identity, and that there is no second factor where none was asked for; or the session that this one grows out of.
   */
  readonly proof:
    | {
        readonly passwordHash: string;
        readonly identity?: Pick<Identity, 'issuer' | 'subject'>;
        readonly withoutFactor?: true;
      }
    | { readonly session: string };
}

export interface Exchange {
  readonly spentDigest: string;
  /** The digest of the token that was exchanged for the one that is spent now; '' for the first of a session. */
  readonly replacedDigest: string;
  readonly newDigest: string;
  readonly now: number;
  readonly expires: number;
  readonly seen: Seen;
  /** Milliseconds for which a spent token may be exchanged once more, as two tabs may refresh at the same moment. */
  readonly grace: number;
  /** A session ends when it has somewhat more unexpired tokens than this. */
  readonly most: number;
}

export interface LiveSession {
  readonly id: string;
  readonly user: User;
  readonly workspace: string | null;
}

export interface Accounts extends AccountMails, AccountInvitations, Factors, SignInSteps, Identities {
  /** The same for a caller whose rights every write checks again. undefined: they can't be revoked. */
  as(authority: Authority | undefined): Accounts;

  /** The secret that signs the project's access tokens. */
  signingKey(): Promise<Uint8Array>;

  /** Whose a live session is, and whether they are a member of that workspace now. Called for every request. */
  findSession(id: string, workspace: string | null): Awaitable<{ user: string; member: boolean } | undefined>;
  /** Finds expired keys too. */
  findKey(digest: string): Promise<ServerKey | undefined>;
  noteKeyUse(id: string, hour: number): Promise<void>;

  /** false: meanwhile the account was disabled or deleted, or got another password. */
  openSession(session: NewSession, now: number): Promise<boolean>;
  /**
   * Exchanges a refresh token for a new one. undefined: unknown, expired, or reused after being spent, which ends the session.
   */
  exchange(exchange: Exchange): Promise<LiveSession | undefined>;
  /** The live sessions of a user, in the order in which they began. */
  listSessions(user: string, now: number, page: Page): Promise<Paged<SessionPlace>>;
  /** false: the user has no such session. */
  endSessionOf(user: string, session: string): Promise<boolean>;
  endOtherSessions(user: string, session: string): Promise<void>;
  /** A session for somebody who acts for a user. false: the account is disabled or gone. */
  openImpersonation(session: Impersonation, now: number): Promise<boolean>;
  /** Ends all sessions that `impersonator`, as the audit names them, has opened. */
  endImpersonations(impersonator: string): Promise<void>;
  /** When the user of this session, or of the one it grew out of, signed in. */
  signedInAt(session: string): Promise<number | undefined>;
  /** Ends the session that a refresh token belongs to. */
  endSession(tokenDigest: string): Promise<void>;

  /** Users who sign up themselves get their first session with it. false: the address is taken. */
  createUser(user: User, passwordHash: string, session?: NewSession): Promise<boolean>;
  findUser(id: string): Promise<User | undefined>;
  findPassword(email: string): Promise<{ user: User; hash: string } | undefined>;
  /** `turn`: used if the list turns out to be expensive. */
  listUsers(page: Page, which: UserFilter, turn?: ReadTurn): Promise<Paged<User>>;
  /** In the order of their ids, from the one after `after`. */
  listProfiles(
    after: string,
    most: number,
  ): Promise<readonly { readonly id: string; readonly profile: JsonObject }[]>;
  /** Skips those that have changed since `before` was read. */
  replaceProfiles(
    changes: readonly { readonly id: string; readonly before: JsonObject; readonly after: JsonObject }[],
  ): Promise<void>;
  updateUser(id: string, change: UserChange, now: number): Promise<User | undefined>;
  deleteUser(id: string, how: UserDeletion): Promise<boolean>;

  /** `owner`: the user who becomes its first member. */
  createWorkspace(workspace: Workspace, owner: string | undefined): Promise<void>;
  findWorkspace(id: string): Promise<Workspace | undefined>;
  listWorkspaces(page: Page): Promise<Paged<Workspace>>;
  renameWorkspace(id: string, name: string, now: number): Promise<Workspace | undefined>;
  deleteWorkspace(id: string, records: 'keep' | 'delete', now: number): Promise<boolean>;
  /** Deleted users and workspaces whose records still have to be deleted. */
  listDepartures(): Promise<readonly Departure[]>;
  endDeparture(id: string): Promise<void>;

  /** In the order in which the user joined them. */
  listWorkspacesOf(user: string, page: Page): Promise<Paged<Workspace & { role: Role }>>;
  firstWorkspaceOf(user: string): Promise<string | null>;
  findRole(workspace: string, user: string): Promise<Role | undefined>;
  listMembers(workspace: string, page: Page): Promise<Paged<Member>>;
  /** Returns the role that they have now: the first of all becomes the owner. undefined: they are a member already. */
  addMember(workspace: string, user: string, role: Role): Promise<Role | undefined>;
  /** `replace`: the longest member takes the place of the last owner. */
  removeMember(
    workspace: string,
    user: string,
    lastOwner: UserDeletion['lastOwner'],
  ): Promise<'removed' | 'absent' | 'lastOwner'>;
  setRole(workspace: string, user: string, role: Role): Promise<Member | 'absent' | 'lastOwner'>;

  createKey(key: ServerKey, digest: string): Promise<void>;
  listKeys(page: Page): Promise<Paged<ServerKey>>;
  deleteKey(id: string): Promise<boolean>;
}
