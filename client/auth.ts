import type { Auth, List, PageOptions, SignIn } from './auth-types.ts';
import { encode, queryString } from './query.ts';
import { otherSignIn, type Session, type SignedIn, type User } from './session.ts';
import type { Call, CallOptions, Send } from './transport.ts';

type HalfSigned = { readonly factorToken: string; readonly expiresIn: number };

export function createAuth(send: Send, session: Session, base: string): Auth {
  const call =
    (verb: string, how?: Pick<Call, 'open' | 'repeatable'>) =>
    <T>(path: string, body?: unknown, { signal }: CallOptions = {}): Promise<T> =>
      send<T>(verb, `/_auth${path}`, { body, signal, ...how });
  const [get, post, patch, remove] = ['GET', 'POST', 'PATCH', 'DELETE'].map((verb) => call(verb)) as [
    Verb,
    Verb,
    Verb,
    Verb,
  ];
  const openly = call('POST', { open: true });
  const end = ({ refreshToken }: { readonly refreshToken: string }, options?: CallOptions) =>
    call('POST', { open: true, repeatable: true })('/logout', { refreshToken }, options);
  const list =
    (path: string) =>
    <T>({ signal, ...query }: PageOptions = {}): Promise<List<T>> =>
      get(path + queryString(query), undefined, { signal });
  const at = (...parts: string[]) => parts.map((part) => `/${encode(part)}`).join('');

  const signedIn = async (answer: Promise<SignedIn | HalfSigned>): Promise<SignIn> => {
    const result = await answer;
    if ('factorToken' in result) return result;
    await session.keep(result);
    return { user: result.user };
  };
  const wholly = async (answer: Promise<SignedIn>) => (await signedIn(answer)).user as User;
  const changed = async (ask: () => Promise<User>) => {
    const began = await session.read();
    const user = await ask();
    await session.changeUser(user, began?.user);
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
      await session.keep(null); // first: the answer may never come
      if (kept) await end(kept, options);
    },
    async switch(workspace, options) {
      const before = await session.read();
      const answer = await post<SignedIn>('/switch', { workspace }, options);
      const isSame = (await session.read())?.user?._id === before?.user?._id;
      if (!isSame) {
        await end(answer).catch(() => {});
        throw otherSignIn();
      }
      await session.keep(answer);
      try {
        // The session of these tokens alone: a logout would end all that came of the same sign-in. Ids and names alone have no
        // character that base64url writes otherwise.
        const { session: left } = JSON.parse(atob(before?.accessToken.split('.')[1] as string));
        if (before?.refreshToken) await call('DELETE', { repeatable: true })(at('sessions', left));
      } catch {}
      return answer.user;
    },
    me: (options) => changed(() => get('/me', undefined, options)),
    async updateMe(body, options) {
      if (body.password === undefined) return changed(() => patch('/me', body, options));
      const user = await patch<User>('/me', body, options);
      await session.keep(null); // a new password ends every sign-in
      return user;
    },
    async deleteMe(body, options) {
      await post('/me/delete', body, options);
      await session.keep(null);
    },
    forgot: (email, options) => openly('/forgot', { email }, options),
    reset: (body, options) => openly('/reset', body, options),
    sendVerification: (options) => post('/verify/send', undefined, options),
    verify: (token, options) => openly('/verify', { token }, options),
    rejectAddress: (token, options) => openly('/verify/reject', { token }, options),
    changeEmail: (body, options) => post('/email', body, options),
    confirmEmail: (token, options) => openly('/email/confirm', { token }, options),
    sessions: {
      list: list('/sessions'),
      end: (id, options) => remove(at('sessions', id), undefined, options),
      endOthers: (options) => remove('/sessions', undefined, options),
    },
    workspaces: {
      list: list('/workspaces'),
      create: (body, options) => post('/workspaces', body, options),
      update: (id, body, options) => patch(at('workspaces', id), body, options),
      delete: (id, { signal, ...query } = {}) =>
        remove(at('workspaces', id) + queryString(query), undefined, { signal }),
      members: (id, options) => list(at('workspaces', id, 'members'))(options),
      setRole: (id, user, role, options) => patch(at('workspaces', id, 'members', user), { role }, options),
      removeMember: (id, user, options) => remove(at('workspaces', id, 'members', user), undefined, options),
      invite: (id, body, options) => post(at('workspaces', id, 'invitations'), body, options),
      invitations: (id, options) => list(at('workspaces', id, 'invitations'))(options),
      withdraw: (id, invitation, options) =>
        remove(at('workspaces', id, 'invitations', invitation), undefined, options),
    },
    invitations: {
      list: list('/invitations'),
      accept: (id, token, options) => post(at('invitations', id, 'accept'), { token }, options),
      decline: (id, options) => post(at('invitations', id, 'decline'), undefined, options),
    },
    totp: {
      start: (options) => post('/totp', undefined, options),
      async confirm(code, options) {
        const codes = await post<{ recoveryCodes: string[] }>('/totp/confirm', { code }, options);
        // Where the project requires a second factor, the tokens from before are good for nothing else. A failed refresh must
        // not lose the codes, which are shown only once.
        await session.refresh().catch(() => {});
        return codes;
      },
      disable: (body, options) => remove('/totp', body, options),
    },
    providers: {
      list: list('/providers'),
      address: (provider, query) => `${base}/_auth/oidc${at(provider)}${queryString(query)}`,
      exchange: (body, options) => signedIn(openly('/exchange', body, options)),
    },
    identities: {
      list: list('/identities'),
      remove: (id, options) => remove(at('identities', id), undefined, options),
      link: (provider, body, options) => post(at('oidc', provider), body, options),
    },
    ticket: (options) => post('/ticket', undefined, options),
  };
}

type Verb = <T>(path: string, body?: unknown, options?: CallOptions) => Promise<T>;
