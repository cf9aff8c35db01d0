import { digest, randomSecret } from '../access/secret.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import type { AuthSettings } from '../store/project-record.ts';
import type { AuthAsk } from './ask.ts';
import { refreshExpiry, seenNow, tokensResult } from './sign-in.ts';

/** Milliseconds in which a spent token may be exchanged once more, for two tabs that refresh at the same time. */
const grace = 10_000;

/**
 * Most unexpired refresh tokens of a session: four per access token in that time, as clients refresh early, and tabs at the same
 * time. Deleting 200,000 of them when the session ends takes the writer 0.4 s.
 */
export function mostTokens({ accessTokenMinutes, refreshTokenDays }: AuthSettings): number {
  const needed = (4 * refreshTokenDays * 24 * 60) / accessTokenMinutes;
  return Math.min(Math.max(needed, 50_000), 200_000);
}

/** POST /v1/:project/_auth/refresh */
export async function refresh(ask: AuthAsk): Promise<string> {
  const spent = await readRefreshToken(ask);
  const spentDigest = digest(spent);
  // Contains the digest of the token it replaces. This can't be forged: only tokens that were issued have their digest stored.
  const refreshToken = `${randomSecret()}${spentDigest}`;
  const session = await ask.project.store.accounts.exchange({
    spentDigest,
    replacedDigest: spent.slice(spentDigest.length),
    newDigest: digest(refreshToken),
    now: ask.now,
    expires: refreshExpiry(ask),
    seen: seenNow(ask),
    grace,
    most: mostTokens(ask.settings),
  });
  if (!session)
    throw new Failure('unauthenticated', 'The refresh token is not valid any more: sign in again');
  return tokensResult(ask, session, refreshToken);
}

/** POST /v1/:project/_auth/logout */
export async function logout(ask: AuthAsk): Promise<string> {
  await ask.project.store.accounts.endSession(digest(await readRefreshToken(ask)));
  return '{}'; // also for an unknown token: the session is over either way
}

async function readRefreshToken(ask: AuthAsk): Promise<string> {
  const form = new Form(await ask.body(), ['refreshToken']);
  const token = form.text('refreshToken', { most: 500 });
  form.done();
  return token;
}
