import { VitrineError } from './error.ts';
import { type Credential, noAnswer, type Send, type Tokens } from './transport.ts';

type Stored = string | null | undefined;

/** `localStorage`, or any storage with the same methods; they may be async. */
export interface TokenStorage {
  getItem(key: string): Stored | Promise<Stored>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

export interface User {
  readonly _id: string;
  readonly email: string;
  readonly name: string;
  /** The current workspace. */
  readonly workspace: string | null;
  /** Whether the user has proved that the address is theirs. */
  readonly verified: boolean;
  /** The fields that the project's `auth.profile` defines; `vitrine types` writes their type. */
  readonly profile: Readonly<Record<string, unknown>>;
}

/** What signing in, refreshing and switching answer. */
export interface SignedIn {
  readonly user: User;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresIn: number;
}

interface Kept {
  readonly user: User;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** By the clock of this machine. */
  readonly expiresAt: number;
}

export type Listener = (user: User | null) => void;

/** Who is signed in. The storage holds this, as long as it takes it, so tabs that share a storage share the sign-in. */
export interface Session extends Tokens {
  read(): Promise<Kept | undefined>;
  keep(answer: SignedIn | null): Promise<void>;
  /** Gets new tokens, whether or not the current ones are still valid. */
  refresh(): Promise<unknown>;
  /** Keeps `user`, unless somebody else has signed in, or the workspace has changed, since the call began. */
  changeUser(user: User, began: User | undefined): Promise<void>;
  onChange(listener: Listener): () => void;
}

/** A token is renewed this long before it expires, so that it is still valid when it reaches the server. */
const margin = 30_000;
/**
 * Milliseconds until a refresh whose answer does not come is sent once more, and those that it may take then: for ten seconds the server
 * gives tokens again for one that is spent, and after that it ends the sign-in. So a tab waits less for another one's too.
 */
const [firstRefresh, nextRefresh, longestTurn] = [3_000, 7_000, 6_000];

/** `storage`: one that others may share. Without it the sign-in is kept in memory, for this client alone. */
export function createSession(key: string, storage: TokenStorage | undefined, send: () => Send): Session {
  const listeners = new Set<Listener>();
  let refreshing: Promise<Kept | undefined> | undefined;

  /**
   * Kept in memory: without a storage, or because it refused it, as a full one does. It counts until the storage changes from
   * `stored`, which is what it had when it could first be read afterwards.
   */
  let held: { stored?: Stored; readonly text: Stored } | undefined;
  const read = async () => {
    let text: Stored;
    try {
      text = (await storage?.getItem(key)) ?? '';
    } catch (error) {
      if (!held) throw error;
      text = held.stored;
    }
    if (held) {
      held.stored ??= text;
      if (held.stored === text) text = held.text;
    }
    return parse(text);
  };
  /** The tokens of before may be spent: those that can't be stored must not be lost. */
  const write = async (kept: Kept | undefined) => {
    const text = kept && JSON.stringify(kept);
    try {
      await (text ? storage?.setItem(key, text) : storage?.removeItem(key));
      held = storage ? undefined : { text };
    } catch (error) {
      // biome-ignore lint/suspicious/noConsole: the call goes on, so nobody else would be told
      console.warn(error);
      held = { text };
      await read();
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  /** A storage may be async: nothing else is written between a read and the write that follows from it. */
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const turn = last.then(run);
    last = turn.catch(() => {});
    return turn;
  };
  /** An error in a listener is reported to the page, like an error in any event handler, and does not make the sign-in fail. */
  const report = (user: User | null) => {
    for (const listener of [...listeners]) {
      try {
        listener(user);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };
  /** New tokens for the same user are not reported. */
  const fromOtherTab = ({ key: changed, oldValue, newValue }: StorageEvent) => {
    const user = parse(newValue)?.user;
    if (changed === null || (changed === key && isOther(user, parse(oldValue)?.user))) report(user ?? null);
  };

  /** Runs under the lock: a tab that waited finds the tokens that another tab got meanwhile. */
  async function exchange(stale: Kept): Promise<Kept | undefined> {
    const now = await read();
    if (now?.refreshToken !== stale.refreshToken) return now;
    const { refreshToken } = stale;
    const late = noAnswer('the server', 'the sign-in could not be renewed in time');
    const ask = (most: number) => {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(late), most);
      const call = { body: { refreshToken }, open: true, repeatable: true, signal: limit.signal };
      return send()<SignedIn>('POST', '/_auth/refresh', call).finally(() => clearTimeout(timer));
    };
    let fresh: Kept | undefined;
    try {
      fresh = keptOf(
        await ask(firstRefresh).catch((error) => {
          if (error === late) return ask(nextRefresh);
          throw error;
        }),
      );
    } catch (error) {
      if ((error as VitrineError).status !== 401) throw error;
    }
    return inTurn(async () => {
      // Signed out, or in as somebody else, while the answer was on its way. It is kept where that cannot be read: the server has
      // taken the tokens of before for spent.
      const after = await read().catch(() => stale);
      if (after?.refreshToken !== refreshToken) return after;
      await write(fresh);
      return fresh;
    });
  }

  async function refresh(stale: Kept): Promise<Kept | undefined> {
    const run = () => exchange(stale);
    const kept = await (storage ? locked(`${key} ${stale.refreshToken}`, run) : run());
    // The user may have been changed elsewhere, or moved to another workspace after being removed from this one.
    if (isOther(kept?.user, stale.user)) report(kept?.user ?? null);
    return kept;
  }
  /** One at a time in this client, whoever asks. */
  const refreshOnce = (stale: Kept) => {
    refreshing ??= refresh(stale).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };

  return {
    read,
    refresh: async () => {
      await refreshing?.catch(() => {}); // a refresh that is already under way may bring tokens from before this call
      const kept = await read();
      return kept && refreshOnce(kept);
    },
    async get(writes) {
      const kept = await read();
      if (!kept || kept.expiresAt - Date.now() > margin) return credentialOf(kept);
      const now = await refreshOnce(kept);
      // What is kept may lack the user, who is then not known to be another.
      if ((now || writes) && kept.user && !goesOn(kept.user, now?.user)) throw otherSignIn();
      return credentialOf(now);
    },
    async renew({ token, holder }) {
      let kept = await read();
      if (kept?.accessToken === token) kept = kept && (await refreshOnce(kept));
      return credentialOf(goesOn(holder, kept?.user) ? kept : undefined);
    },
    async keep(answer) {
      await inTurn(() => write(answer ? keptOf(answer) : undefined));
      report(answer?.user ?? null);
    },
    changeUser: (user, began) =>
      inTurn(async () => {
        const kept = await read();
        if (!kept || kept.user?._id !== user._id || kept.user?.workspace !== began?.workspace) return;
        if (!isOther(kept.user, user)) return;
        await write({ ...kept, user });
        report(user);
      }),
    onChange(listener) {
      // The event comes only from other tabs, and only of localStorage.
      if (listeners.size === 0) globalThis.addEventListener?.('storage', fromOtherTab);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) globalThis.removeEventListener?.('storage', fromOtherTab);
      };
    },
  };
}

function parse(text: Stored): Kept | undefined {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {} // not ours: nobody is signed in
}

const credentialOf = (kept: Kept | undefined): Credential => ({
  token: kept?.accessToken,
  holder: kept?.user,
});

/**
 * Whether `now` is still the user who began the call. A call is never finished in the name of somebody who has signed in
 * meanwhile in another tab, nor in another workspace, which the user may have switched to or been moved to by a refresh. A user
 * who had no workspace may have joined one.
 */
const goesOn = (began: Credential['holder'], now: Credential['holder']) =>
  began?._id === now?._id && (!began?.workspace || began.workspace === now?.workspace);

export const otherSignIn = () =>
  new VitrineError(401, 'Signed out, or in as somebody else or in another workspace, meanwhile');

const isOther = (one: User | undefined, other: User | undefined) =>
  JSON.stringify(one) !== JSON.stringify(other);

function keptOf({ user, accessToken, refreshToken, expiresIn }: SignedIn): Kept {
  return { user, accessToken, refreshToken, expiresAt: Date.now() + expiresIn * 1000 };
}

/**
 * One tab at a time, where the runtime has locks. A frozen tab must not hold up the others for ever: after a while they go on
 * without the lock, and the server accepts two refreshes at the same moment.
 */
async function locked<T>(name: string, run: () => Promise<T>): Promise<T> {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), longestTurn);
  let started: Promise<T> | undefined;
  const begin = () => {
    clearTimeout(timer);
    started = run();
    return started;
  };
  try {
    return await navigator.locks.request(name, { signal: waiting.signal }, begin);
  } catch {
    return started ?? run(); // it waited too long, or there are no locks, or none that the page may use
  } finally {
    clearTimeout(timer);
  }
}
