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

/** The people and machines of a project: users, their sign-ins, workspaces and server keys. */

export interface User {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly disabled: boolean;
  /** Whether the address was shown to be theirs. */
  readonly verified: boolean;
  /** The values of the project's own fields. */
  readonly profile: JsonObject;
  readonly created: number;
  readonly updated: number;
}

export interface UserChange {
  readonly name?: string;
  /** Lower case. Another one is not verified, unless the change says so; one that is taken is refused. */
  readonly email?: string;
  /** A new hash ends all sign-ins. */
  readonly passwordHash?: string;
  /** The change happens only while this is the hash. */
  readonly ifPasswordHash?: string;
  /** true ends all sign-ins. */
  readonly disabled?: boolean;
  readonly verified?: boolean;
  /**
   * Those that are to be other than they are, with the stamp of the definitions by which they were checked; StaleProfile where the
   * profile has another.
   */
  readonly profile?: JsonObject;
}

export interface UserDeletion {
  /** What becomes of their records, and of those of workspaces in which they were alone. */
  readonly records: 'keep' | 'delete';
  /** What happens where they are the last owner among other members: a refusal, or the longest member is owner. */
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
  /** Folded words, each of which must occur in the address or the name. */
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
  /** From then on it is refused; null: it does not end by itself. */
  readonly expires: number | null;
  /** When it was last used, to the hour; null: never. */
  readonly used: number | null;
  readonly created: number;
}

/** When and from where a sign-in was last used to get tokens. */
export interface Seen {
  readonly used: number;
  readonly address: string;
  /** What the client calls itself. */
  readonly agent: string;
}

/** Where somebody is signed in. */
export interface SessionPlace extends Seen {
  readonly id: string;
}

/** Somebody acts for a user, for a while. */
export interface Impersonation {
  readonly id: string;
  readonly user: string;
  readonly workspace: string | null;
  readonly expires: number;
  readonly impersonator: string;
  readonly seen: Seen;
}

/** One sign-in: a family of refresh tokens of which each replaces the one before. */
export interface NewSession {
  readonly id: string;
  readonly user: string;
  readonly workspace: string | null;
  readonly tokenDigest: string;
  readonly expires: number;
  readonly seen: Seen;
  /**
   * Must still hold when the session begins: the password that was verified, or that was the user's when they came by the identity, and,
   * where no second factor was, that there is none; or the session it grows out of.
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
  /** Of the token that was exchanged for the one that is spent now; '' for the first of a session. */
  readonly replacedDigest: string;
  readonly newDigest: string;
  readonly now: number;
  readonly expires: number;
  readonly seen: Seen;
  /** Milliseconds for which a spent token may be exchanged once more: two tabs do that. */
  readonly grace: number;
  /** With some more tokens than these, before they expire, a session ends. */
  readonly most: number;
}

export interface LiveSession {
  readonly id: string;
  readonly user: User;
  readonly workspace: string | null;
}

export interface Accounts extends AccountMails, AccountInvitations, Factors, SignInSteps, Identities {
  /** The same, for a caller whose rights are looked at again by whatever writes. undefined: they can't be revoked. */
  as(authority: Authority | undefined): Accounts;

  /** The secret that signs the project's access tokens. */
  signingKey(): Promise<Uint8Array>;

  /** Who a live session is of, and whether they are a member of that workspace now. Asked at every request. */
  findSession(id: string, workspace: string | null): Awaitable<{ user: string; member: boolean } | undefined>;
  /** Also one that has expired. */
  findKey(digest: string): Promise<ServerKey | undefined>;
  noteKeyUse(id: string, hour: number): Promise<void>;

  /** false: the account was disabled, deleted or given another password meanwhile. */
  openSession(session: NewSession, now: number): Promise<boolean>;
  /** A new refresh token for an old one. undefined: unknown, expired, or spent and used again, which ends the session. */
  exchange(exchange: Exchange): Promise<LiveSession | undefined>;
  /** Those of a user that are alive, in the order in which they began. */
  listSessions(user: string, now: number, page: Page): Promise<Paged<SessionPlace>>;
  /** false: they have no such session. */
  endSessionOf(user: string, session: string): Promise<boolean>;
  endOtherSessions(user: string, session: string): Promise<void>;
  /** A session for whoever acts for a user. false: the account is disabled or gone. */
  openImpersonation(session: Impersonation, now: number): Promise<boolean>;
  /** Ends all that somebody opened, as the audit names them. */
  endImpersonations(impersonator: string): Promise<void>;
  /** When whoever has this session, or the one it grew out of, signed in. */
  signedInAt(session: string): Promise<number | undefined>;
  /** Ends the session that a refresh token belongs to. */
  endSession(tokenDigest: string): Promise<void>;

  /** With the first session of the user, where they sign up by themselves. false: the address is taken. */
  createUser(user: User, passwordHash: string, session?: NewSession): Promise<boolean>;
  findUser(id: string): Promise<User | undefined>;
  findPassword(email: string): Promise<{ user: User; hash: string } | undefined>;
  /** `turn`: for a list that turns out to be expensive. */
  listUsers(page: Page, which: UserFilter, turn?: ReadTurn): Promise<Paged<User>>;
  /** In the order of their ids, after one of them. */
  listProfiles(
    after: string,
    most: number,
  ): Promise<readonly { readonly id: string; readonly profile: JsonObject }[]>;
  /** Only of those that are still what they were before. */
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
  /** Deleted users and workspaces whose records are still to be deleted. */
  listDepartures(): Promise<readonly Departure[]>;
  endDeparture(id: string): Promise<void>;

  /** In the order in which they were joined. */
  listWorkspacesOf(user: string, page: Page): Promise<Paged<Workspace & { role: Role }>>;
  firstWorkspaceOf(user: string): Promise<string | null>;
  findRole(workspace: string, user: string): Promise<Role | undefined>;
  listMembers(workspace: string, page: Page): Promise<Paged<Member>>;
  /** false: is a member already. */
  addMember(workspace: string, user: string, role: Role): Promise<boolean>;
  /** `alone`: whether the last owner may leave a workspace that has nobody else. */
  removeMember(workspace: string, user: string, alone: boolean): Promise<'removed' | 'absent' | 'lastOwner'>;
  setRole(workspace: string, user: string, role: Role): Promise<Member | 'absent' | 'lastOwner'>;

  createKey(key: ServerKey, digest: string): Promise<void>;
  listKeys(page: Page): Promise<Paged<ServerKey>>;
  deleteKey(id: string): Promise<boolean>;
}
