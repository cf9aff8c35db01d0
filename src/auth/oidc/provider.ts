import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import type { Provider } from '../../model/provider-settings.ts';
import { Lru } from '../../store/cache.ts';
import { boundedFetch } from './bounded-fetch.ts';

/** The verified claims of a provider about the user who signed in there. */
export interface ProviderClaims {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case; undefined if the provider sent none. */
  readonly email: string | undefined;
  /** Whether the provider has verified the address. */
  readonly verified: boolean;
  readonly name: string;
}

/** Sent with the authorization request, and checked when the callback arrives. */
export interface SentSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Seconds. */
const requestTimeout = 10;
/** Seconds by which the clocks of two machines may differ. */
const skew = 30;

/** Milliseconds for which discovery metadata is reused. */
const metadataLifetime = 10 * 60_000;

/**
 * Metadata by provider settings, used for authorization requests only: callbacks run discovery again, to get rotated keys. An
 * entry is valid for its lifetime; changed settings are another key, so they never get the old entry.
 */
const known = new Lru<string, { readonly at: number; readonly config: Configuration }>({ most: 200 });

/** The URL to send the browser to. */
export async function authorizationUrl(
  provider: Provider,
  {
    state,
    nonce,
    challenge,
    callback,
  }: Omit<SentSecrets, 'verifier'> & { challenge: string; callback: string },
  now: number,
): Promise<string> {
  const key = JSON.stringify(provider);
  const found = known.get(key);
  const config = found && now - found.at < metadataLifetime ? found.config : await discover(provider);
  if (config !== found?.config) known.set(key, { at: now, config });
  const parameters = {
    ...{ redirect_uri: callback, scope: 'openid email profile', state, nonce },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  };
  return buildAuthorizationUrl(config, parameters).href;
}

/** Redeems the code of a callback. Signature, issuer, audience, times, nonce and state are checked. */
export async function redeemCallback(
  provider: Provider,
  callback: URL,
  sent: SentSecrets,
): Promise<ProviderClaims> {
  const config = await discover(provider);
  const tokens = await authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: sent.verifier,
    expectedState: sent.state,
    expectedNonce: sent.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error('there is no ID token');
  if (!isSubject(claims.sub)) throw new Error('the subject of the ID token is no name');
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

/** The standard allows at most 255 ASCII characters; some providers send more. */
const isSubject = (text: string) =>
  text !== '' && text.length <= 1_000 && text.isWellFormed() && !text.includes('\0');

async function discover({ issuer, clientId, clientSecret }: Provider): Promise<Configuration> {
  const local = new URL(issuer).protocol === 'http:'; // only on this machine: the settings allow no other http: issuer
  return discovery(
    new URL(issuer),
    clientId,
    { client_secret: clientSecret, [clockTolerance]: skew },
    undefined,
    {
      timeout: requestTimeout,
      [customFetch]: boundedFetch,
      execute: local ? [enableNonRepudiationChecks, allowInsecureRequests] : [enableNonRepudiationChecks],
    },
  );
}
