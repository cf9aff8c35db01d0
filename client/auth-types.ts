import type { Listener, User } from './session.ts';
import type { CallOptions } from './transport.ts';

/** Signed in; or, for an account with a second factor, half of it: go on with `factor`. */
export type SignIn =
  | { readonly user: User; readonly factorToken?: undefined }
  | { readonly user?: undefined; readonly factorToken: string; readonly expiresIn: number };

export interface List<T> {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  readonly totalPages: number;
  readonly found: T[];
}

export interface PageOptions extends CallOptions {
  readonly page?: number | undefined;
  readonly perPage?: number | undefined;
}

export type Role = 'owner' | 'member';

export interface Workspace {
  readonly _id: string;
  readonly name: string;
  readonly role: Role;
}

export interface Member {
  readonly _id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

export interface Invitation {
  readonly _id: string;
  readonly email: string;
  readonly role: Role;
  readonly workspace: { readonly _id: string; readonly name: string };
  readonly _createdAt: string;
  readonly expiresAt: string;
  /** Once, in the answer that makes it, where the server sends no mail: pass it on. */
  readonly token?: string;
}

export interface UserSession {
  readonly _id: string;
  readonly _createdAt: string;
  readonly lastUsedAt: string;
  readonly address: string;
  readonly userAgent: string;
  readonly current: boolean;
}

export interface Identity {
  readonly _id: string;
  readonly provider: string;
  readonly email: string;
  readonly _createdAt: string;
}

type Profile = Readonly<Record<string, unknown>>;
type Done = Promise<Record<string, never>>;
type Deleted = Promise<{ readonly _id: string }>;

export interface Auth {
  /** Who is signed in, as far as this client knows; `me` asks the server. */
  user(): Promise<User | null>;
  /** Called when somebody signs in or out, or is changed, here or in another tab. Gives the way to end it. */
  onChange(listener: Listener): () => void;

  register(
    account: { email: string; password: string; name?: string; profile?: Profile },
    options?: CallOptions,
  ): Promise<User>;
  login(credentials: { email: string; password: string }, options?: CallOptions): Promise<SignIn>;
  /** The second half of a sign-in. */
  factor(factor: { factorToken: string; code: string }, options?: CallOptions): Promise<User>;
  /** Ends the sign-in, here also where the server can't be reached. */
  logout(options?: CallOptions): Promise<void>;
  /** New tokens with another current workspace; those before end. */
  switch(workspace: string, options?: CallOptions): Promise<User>;

  me(options?: CallOptions): Promise<User>;
  /** A new password ends every sign-in, this one too. */
  updateMe(
    change: { name?: string; profile?: Profile; password?: string; currentPassword?: string },
    options?: CallOptions,
  ): Promise<User>;
  deleteMe(proof: { currentPassword?: string }, options?: CallOptions): Promise<void>;

  forgot(email: string, options?: CallOptions): Done;
  reset(change: { token: string; password: string }, options?: CallOptions): Done;
  sendVerification(options?: CallOptions): Done;
  verify(token: string, options?: CallOptions): Done;
  /** Somebody else made the account with this address: its password and sessions end. */
  rejectAddress(token: string, options?: CallOptions): Done;
  changeEmail(change: { email: string; currentPassword?: string }, options?: CallOptions): Done;
  confirmEmail(token: string, options?: CallOptions): Done;

  readonly sessions: {
    list(options?: PageOptions): Promise<List<UserSession>>;
    end(id: string, options?: CallOptions): Deleted;
    endOthers(options?: CallOptions): Done;
  };
  readonly workspaces: {
    list(options?: PageOptions): Promise<List<Workspace>>;
    create(workspace: { name: string }, options?: CallOptions): Promise<Workspace>;
    update(id: string, change: { name: string }, options?: CallOptions): Promise<Workspace>;
    /** With records in it, only with `confirm: 'destructive'`. */
    delete(id: string, options?: CallOptions & { readonly confirm?: 'destructive' }): Deleted;
    members(id: string, options?: PageOptions): Promise<List<Member>>;
    setRole(id: string, user: string, role: Role, options?: CallOptions): Promise<Member>;
    removeMember(id: string, user: string, options?: CallOptions): Deleted;
    invite(
      id: string,
      invitation: { email: string; role?: Role },
      options?: CallOptions,
    ): Promise<Invitation>;
    invitations(id: string, options?: PageOptions): Promise<List<Invitation>>;
    withdraw(id: string, invitation: string, options?: CallOptions): Deleted;
  };
  /** Those for the address of the user. */
  readonly invitations: {
    list(options?: PageOptions): Promise<List<Invitation>>;
    accept(id: string, token?: string, options?: CallOptions): Promise<Workspace>;
    decline(id: string, options?: CallOptions): Done;
  };
  readonly totp: {
    start(options?: CallOptions): Promise<{ readonly secret: string; readonly uri: string }>;
    confirm(code: string, options?: CallOptions): Promise<{ readonly recoveryCodes: string[] }>;
    disable(proof: { currentPassword?: string; code: string }, options?: CallOptions): Done;
  };
  /** Sign-in with an OpenID Connect provider. */
  readonly providers: {
    list(options?: PageOptions): Promise<List<{ readonly id: string; readonly name: string }>>;
    /** Where to send the browser; it comes back to `redirect` with a `code` for `exchange`. */
    address(provider: string, query: { redirect: string; challenge: string }): string;
    exchange(proof: { code: string; verifier: string }, options?: CallOptions): Promise<SignIn>;
  };
  /** The user's links to providers. */
  readonly identities: {
    list(options?: PageOptions): Promise<List<Identity>>;
    remove(id: string, options?: CallOptions): Deleted;
    /** Where to send the browser to link another. */
    link(
      provider: string,
      query: { redirect: string; challenge: string; currentPassword?: string },
      options?: CallOptions,
    ): Promise<{ readonly url: string }>;
  };
  /** For a browser's `EventSource`, which can't send a header. */
  ticket(options?: CallOptions): Promise<{ readonly ticket: string; readonly expiresIn: number }>;
}
