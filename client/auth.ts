import { queryString } from './query.ts';
import type { Listener, Session, SignedIn, User } from './session.ts';
import type { CallOptions, Send } from './transport.ts';

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
  readonly [detail: string]: unknown;
}

type Profile = Readonly<Record<string, unknown>>;
type Done = Promise<Record<string, never>>;
type Deleted = Promise<{ readonly _id: string }>;

export interface Auth {
  /** Who is signed in, as far as this client knows; `me` asks the server. */
  user(): Promise<User | null>;
  /** Called when somebody signs in or out, here or in another tab. Gives the way to end it. */
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
  /** New tokens with another current workspace. */
  switch(workspace: string, options?: CallOptions): Promise<User>;

  me(options?: CallOptions): Promise<User>;
  updateMe(
    change: { name?: string; profile?: Profile; password?: string; currentPassword?: string },
    options?: CallOptions,
  ): Promise<User>;
  deleteMe(proof: { currentPassword?: string }, options?: CallOptions): Promise<void>;

  forgot(email: string, options?: CallOptions): Done;
  reset(change: { token: string; password: string }, options?: CallOptions): Done;
  sendVerification(options?: CallOptions): Done;
  verify(token: string, options?: CallOptions): Done;
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
      query: { redirect: string; challenge: string },
      options?: CallOptions,
    ): Promise<Readonly<Record<string, string>>>;
  };
  /** For a browser's `EventSource`, which can't send a header. */
  ticket(options?: CallOptions): Promise<{ readonly ticket: string; readonly expiresIn: number }>;
}

type HalfSigned = { readonly factorToken: string; readonly expiresIn: number };

export function createAuth(send: Send, session: Session, base: string): Auth {
  const call =
    (verb: string, open = false) =>
    <T>(path: string, body?: unknown, { signal }: CallOptions = {}): Promise<T> =>
      send<T>(verb, `/_auth${path}`, { body, signal, open });
  const [get, post, patch, remove] = ['GET', 'POST', 'PATCH', 'DELETE'].map((verb) => call(verb)) as [
    Verb,
    Verb,
    Verb,
    Verb,
  ];
  const openly = call('POST', true);
  const list =
    (path: string) =>
    <T>({ signal, ...query }: PageOptions = {}): Promise<List<T>> =>
      get(path + queryString(query), undefined, { signal });
  const at = (...parts: string[]) => parts.map((part) => `/${encodeURIComponent(part)}`).join('');

  const signedIn = async (answer: Promise<SignedIn | HalfSigned>): Promise<SignIn> => {
    const result = await answer;
    if ('factorToken' in result) return result;
    await session.keep(result);
    return { user: result.user };
  };
  const wholly = async (answer: Promise<SignedIn>) => (await signedIn(answer)).user as User;
  const changed = async (answer: Promise<User>) => {
    const user = await answer;
    await session.changeUser(user);
    return user;
  };

  return {
    user: async () => (await session.read())?.user ?? null,
    onChange: session.onChange,
    register: (body, options) => wholly(openly('/register', body, options)),
    login: (body, options) => signedIn(openly('/login', body, options)),
    factor: (body, options) => wholly(openly('/login/totp', body, options)),
    async logout(options) {
      const kept = await session.read();
      try {
        if (kept) await openly('/logout', { refreshToken: kept.refreshToken }, options);
      } finally {
        await session.keep(null);
      }
    },
    switch: (workspace, options) => wholly(post('/switch', { workspace }, options)),
    me: (options) => changed(get('/me', undefined, options)),
    updateMe: (body, options) => changed(patch('/me', body, options)),
    async deleteMe(body, options) {
      await post('/me/delete', body, options);
      await session.keep(null);
    },
    forgot: (email, options) => openly('/forgot', { email }, options),
    reset: (body, options) => openly('/reset', body, options),
    sendVerification: (options) => post('/verify/send', undefined, options),
    verify: (token, options) => openly('/verify', { token }, options),
    changeEmail: (body, options) => post('/email', body, options),
    confirmEmail: (token, options) => openly('/email/confirm', { token }, options),
    sessions: {
      list: list('/sessions'),
      end: (id, options) => remove(`/sessions${at(id)}`, undefined, options),
      endOthers: (options) => remove('/sessions', undefined, options),
    },
    workspaces: {
      list: list('/workspaces'),
      create: (body, options) => post('/workspaces', body, options),
      update: (id, body, options) => patch(`/workspaces${at(id)}`, body, options),
      delete: (id, { signal, ...query } = {}) =>
        remove(`/workspaces${at(id)}${queryString(query)}`, undefined, { signal }),
      members: (id, options) => list(`/workspaces${at(id, 'members')}`)(options),
      setRole: (id, user, role, options) => patch(`/workspaces${at(id, 'members', user)}`, { role }, options),
      removeMember: (id, user, options) =>
        remove(`/workspaces${at(id, 'members', user)}`, undefined, options),
      invite: (id, body, options) => post(`/workspaces${at(id, 'invitations')}`, body, options),
      invitations: (id, options) => list(`/workspaces${at(id, 'invitations')}`)(options),
      withdraw: (id, invitation, options) =>
        remove(`/workspaces${at(id, 'invitations', invitation)}`, undefined, options),
    },
    invitations: {
      list: list('/invitations'),
      accept: (id, token, options) => post(`/invitations${at(id, 'accept')}`, { token }, options),
      decline: (id, options) => post(`/invitations${at(id, 'decline')}`, undefined, options),
    },
    totp: {
      start: (options) => post('/totp', undefined, options),
      confirm: (code, options) => post('/totp/confirm', { code }, options),
      disable: (body, options) => remove('/totp', body, options),
    },
    providers: {
      list: list('/providers'),
      address: (provider, query) => `${base}/_auth/oidc${at(provider)}${queryString(query)}`,
      exchange: (body, options) => signedIn(openly('/exchange', body, options)),
    },
    identities: {
      list: list('/identities'),
      remove: (id, options) => remove(`/identities${at(id)}`, undefined, options),
      link: (provider, body, options) => post(`/oidc${at(provider)}`, body, options),
    },
    ticket: (options) => post('/ticket', undefined, options),
  };
}

type Verb = <T>(path: string, body?: unknown, options?: CallOptions) => Promise<T>;
