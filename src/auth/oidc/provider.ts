import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import type { Provider } from '../../model/provider-settings.ts';
import { Lru } from '../../store/cache.ts';

/** What a provider says about somebody who signed in there, once all of it was checked. */
export interface Told {
  readonly issuer: string;
  readonly subject: string;
  /** Lower case; undefined: it told none. */
  readonly email: string | undefined;
  /** Whether the provider knows that the address is theirs. */
  readonly verified: boolean;
  readonly name: string;
}

/** What was sent along to the provider, and must come back. */
export interface Sent {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Seconds that a provider may take. */
const patience = 10;
/** Seconds that the clocks of two machines may differ by. */
const skew = 30;
const remembered = 10 * 60_000;

/** What providers say about themselves, for the way there alone: the way back asks anew, so that new keys are known. */
const known = new Lru<string, { readonly at: number; readonly config: Configuration }>({ most: 200 });

/** Where to send a browser. */
export async function addressAt(
  provider: Provider,
  { state, nonce, challenge, callback }: Omit<Sent, 'verifier'> & { challenge: string; callback: string },
  now: number,
): Promise<string> {
  const key = JSON.stringify(provider);
  const found = known.get(key);
  const config = found && now - found.at < remembered ? found.config : await discover(provider);
  if (config !== found?.config) known.set(key, { at: now, config });
  const parameters = {
    ...{ redirect_uri: callback, scope: 'openid email profile', state, nonce },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  };
  return buildAuthorizationUrl(config, parameters).href;
}

/** Who came back. Signature, issuer, audience, times, nonce and state of what the provider says are checked. */
export async function whoCameBack(provider: Provider, current: URL, sent: Sent): Promise<Told> {
  const config = await discover(provider);
  const tokens = await authorizationCodeGrant(config, current, {
    pkceCodeVerifier: sent.verifier,
    expectedState: sent.state,
    expectedNonce: sent.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error('there is no ID token');
  const more =
    claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
      ? await fetchUserInfo(config, tokens.access_token, claims.sub)
      : claims;
  const text = (value: unknown) => (typeof value === 'string' && value.isWellFormed() ? value : undefined);
  const email = text(more.email)?.trim().toLowerCase();
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    verified: email !== undefined && more.email_verified === true,
    name: (text(more.name) ?? '').replaceAll('\0', '').slice(0, 200).toWellFormed(),
  };
}

async function discover({ issuer, clientId, clientSecret }: Provider): Promise<Configuration> {
  const local = new URL(issuer).protocol === 'http:'; // of this machine: no other is let in
  return discovery(
    new URL(issuer),
    clientId,
    { client_secret: clientSecret, [clockTolerance]: skew },
    undefined,
    {
      timeout: patience,
      execute: local ? [enableNonRepudiationChecks, allowInsecureRequests] : [enableNonRepudiationChecks],
    },
  );
}
