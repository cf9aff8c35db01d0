import { v7 as uuidv7 } from 'uuid';
import { digest, randomSecret } from '../access/secret.ts';
import type { Claims } from '../access/token.ts';
import { Failure } from '../failure.ts';
import type { LiveSession, NewSession, Seen, User } from '../store/accounts.ts';
import type { AuthSettings } from '../store/project-record.ts';
import type { AuthAsk } from './ask.ts';
import { profileOf } from './profile.ts';

const day = 24 * 60 * 60_000;

/** Begins a session and returns its first tokens. */
export async function signIn(
  ask: AuthAsk,
  user: User,
  workspace: string | null,
  proof: NewSession['proof'],
): Promise<string> {
  const { session, refreshToken } = newSession(ask, user, workspace, proof);
  const opened = await ask.project.store.accounts.openSession(session, ask.now);
  if (!opened) throw new Failure('unauthenticated', 'The account has changed meanwhile: sign in again');
  return tokensResult(ask, { id: session.id, user, workspace }, refreshToken);
}

/** Builds a session that is yet to be stored. */
export function newSession(
  ask: AuthAsk,
  user: User,
  workspace: string | null,
  proof: NewSession['proof'],
): { session: NewSession; refreshToken: string } {
  const refreshToken = randomSecret();
  const session = {
    id: uuidv7({ msecs: ask.now }), // also tells when the session began
    user: user.id,
    workspace,
    tokenDigest: digest(refreshToken),
    expires: refreshExpiry(ask),
    seen: seenNow(ask),
    proof,
  };
  return { session, refreshToken };
}

/** Most characters of a User-Agent that are stored. */
const longestAgent = 400;

export function seenNow({ now, address, agent }: AuthAsk): Seen {
  return { used: now, address, agent: agent.slice(0, longestAgent).toWellFormed() };
}

export function refreshExpiry({ settings, now }: AuthAsk): number {
  return now + settings.refreshTokenDays * day;
}

export async function tokensResult(
  ask: AuthAsk,
  session: LiveSession,
  refreshToken: string,
): Promise<string> {
  const { project, settings, now } = ask;
  const { user, workspace } = session;
  const expiresIn = settings.accessTokenMinutes * 60;
  const expires = Math.floor(now / 1000) + expiresIn;
  const enrols = settings.totp === 'required' && !(await project.store.accounts.hasFactor(user.id));
  const claims: Claims = {
    ...{ user: user.id, workspace, session: session.id, expires },
    ...(enrols && { enrols }),
  };
  const accessToken = await project.tokens.issue(claims, now);
  const result = {
    user: userResult(settings, user, workspace),
    accessToken,
    refreshToken,
    tokenType: 'Bearer',
    expiresIn,
  };
  return JSON.stringify(result);
}

export function userResult(settings: AuthSettings, user: User, workspace: string | null): object {
  const { id, email, name, verified, profile } = user;
  return { _id: id, email, name, workspace, verified, profile: profileOf(settings).shown(profile) };
}
