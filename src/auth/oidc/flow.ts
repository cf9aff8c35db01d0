import { createHash } from 'node:crypto';
import { digest, randomSecret } from '../../access/secret.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { AuthSettings } from '../../store/project-record.ts';
import { authorizationUrl, type ProviderClaims, redeemCallback, type SentSecrets } from './provider.ts';

/** The part of a request that a flow uses. */
export interface FlowAsk {
  readonly settings: AuthSettings;
  readonly accounts: Accounts;
  /** The provider's id, from the path. */
  readonly provider: string;
  /** Where the provider sends the browser back to. */
  readonly callback: string;
  readonly now: number;
}

/** The signed-in user who links a provider. */
interface Linker {
  readonly user: string;
  readonly session: string;
}

interface Flow extends SentSecrets {
  readonly provider: string;
  readonly redirect: string;
  /** The app's PKCE challenge: only whoever began the flow can redeem its code. */
  readonly challenge: string;
  readonly linker?: Linker;
}

/** A verified sign-in at a provider; the app has not redeemed its code yet. */
export interface Arrival {
  readonly provider: string;
  readonly claims: ProviderClaims;
  readonly challenge: string;
  readonly linker?: Linker;
}

const flowKind = 'oidc';
export const arrivalKind = 'code';
const flowTime = 10 * 60_000;
const codeTime = 60_000;

export const challengePattern = /^[A-Za-z0-9_-]{43}$/;

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** Returns the URL to send the browser to. Throws if the provider can't be reached. */
export async function beginFlow(
  { settings, accounts, provider: id, callback, now }: FlowAsk,
  app: { readonly redirect: string; readonly challenge: string; readonly linker?: Linker },
): Promise<string> {
  const provider = settings.providers.find((one) => one.id === id);
  if (!provider) throw new Error(`there is no provider ${id}`);
  const sent = { state: randomSecret(), nonce: randomSecret(), verifier: randomSecret() };
  const address = await authorizationUrl(
    provider,
    { ...sent, challenge: challengeOf(sent.verifier), callback },
    now,
  );
  const flow: Flow = { ...sent, ...app, provider: id };
  const step = { digest: digest(sent.state), kind: flowKind, data: JSON.stringify(flow) };
  await accounts.saveStep({ ...step, expires: now + flowTime }, now);
  return address;
}

/** Returns where the callback redirects to: the app, with a code or an error. undefined: the flow is unknown. */
export async function endFlow(
  ask: FlowAsk,
  query: string,
  failed: (error: unknown) => void,
): Promise<string | undefined> {
  const parameters = new URLSearchParams(query);
  const state = parameters.get('state') ?? '';
  const data = await ask.accounts.spendStep(digest(state), flowKind, ask.now);
  if (data === undefined) return undefined;
  const flow = JSON.parse(data) as Flow;
  if (flow.provider !== ask.provider || !ask.settings.redirects.includes(flow.redirect)) return undefined;
  const error = parameters.get('error');
  if (error !== null) return back(flow, { error: /^[a-z_]{1,60}$/.test(error) ? error : 'provider_error' });
  const provider = ask.settings.providers.find(({ id }) => id === flow.provider);
  if (!provider) return back(flow, { error: 'unknown_provider' });
  try {
    const claims = await redeemCallback(provider, new URL(`${ask.callback}?${query}`), flow);
    return back(flow, { code: await keepArrival(ask, flow, claims) });
  } catch (reason) {
    failed(reason);
    return back(flow, { error: 'provider_failed' });
  }
}

async function keepArrival({ accounts, now }: FlowAsk, flow: Flow, claims: ProviderClaims): Promise<string> {
  const { provider, challenge, linker } = flow;
  const code = randomSecret();
  const arrival: Arrival = { provider, claims, challenge, ...(linker && { linker }) };
  const step = { digest: digest(code), kind: arrivalKind, data: JSON.stringify(arrival) };
  await accounts.saveStep({ ...step, expires: now + codeTime }, now);
  return code;
}

/** The app's redirect URL with more query parameters. */
export function back({ redirect }: { readonly redirect: string }, more: Record<string, string>): string {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
  return url.href;
}
