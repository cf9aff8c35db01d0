import type { Form } from './form.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { idPattern, idRule } from './names.ts';
import { refuseUnknownKeys } from './unknown-keys.ts';

/** An OpenID Connect provider with which a project's users may sign in. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Never returned by the API. */
  readonly clientSecret: string;
}

const keys = ['id', 'name', 'issuer', 'clientId', 'clientSecret'];
const most = 20;

/**
 * Reads `providers` of `auth`. One without a secret keeps the stored secret, unless its issuer has changed. `of`: for a file it
 * is not known whether there is a stored secret.
 */
export function readProviders(
  part: Form,
  current: readonly Provider[],
  of: 'project' | 'file' = 'project',
): Provider[] {
  const raw = part.value('providers');
  if (!Array.isArray(raw) || raw.length > most) {
    part.fault('providers', `must be an array of at most ${most} of { ${keys.join(', ')} }`);
    return [];
  }
  const taken = new Set<string>();
  return raw.map((one: Json, index) => {
    const at = `providers[${index}]`;
    const kept = (id: string, issuer: string) =>
      of === 'file'
        ? 'kept'
        : current.find((other) => other.id === id && other.issuer === issuer)?.clientSecret;
    const provider = readProvider(one, at, kept, (place, message) => part.fault(place, message));
    if (taken.has(provider.id)) part.fault(`${at}.id`, `'${provider.id}' is there twice`);
    taken.add(provider.id);
    return provider;
  });
}

function readProvider(
  raw: Json,
  at: string,
  keptSecret: (id: string, issuer: string) => string | undefined,
  fault: (at: string, message: string) => void,
): Provider {
  const given: JsonObject = isJsonObject(raw) ? raw : {};
  refuseUnknownKeys(given, keys, `${at}.`, fault);
  const text = (name: string, otherwise?: string): string => {
    const value = given[name] ?? otherwise;
    if (typeof value === 'string' && value !== '' && value.length <= 2000 && value.isWellFormed())
      return value;
    fault(`${at}.${name}`, value === undefined ? 'is required' : 'must be a text');
    return '';
  };
  const id = text('id');
  if (id !== '' && !idPattern.test(id)) fault(`${at}.id`, idRule);
  const issuer = text('issuer');
  if (issuer !== '' && !isServer(issuer))
    fault(`${at}.issuer`, 'must be an https address without a query (http for this machine alone)');
  return {
    ...{ id, name: text('name', id), issuer, clientId: text('clientId') },
    clientSecret: text('clientSecret', keptSecret(id, issuer)),
  };
}

/** Reads `redirects` of `auth`: the exact URLs of the app. */
export function readRedirects(part: Form): string[] {
  const raw = part.value('redirects');
  if (!Array.isArray(raw) || raw.length > 100) {
    part.fault('redirects', 'must be an array of addresses of the app');
    return [];
  }
  raw.forEach((one: Json, index) => {
    if (typeof one === 'string' && isRedirect(one)) return;
    part.fault(
      `redirects[${index}]`,
      'must be an https address without a fragment, one of this machine, or of an app, such as com.example.app:/signed-in',
    );
  });
  return raw.filter((one): one is string => typeof one === 'string');
}

export const isLoopback = (hostname: string) =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Only URLs to which nobody can read what is sent: https, or http on this machine. */
function isServer(text: string): boolean {
  const url = URL.parse(text);
  if (url?.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

function isRedirect(text: string): boolean {
  const url = URL.parse(text);
  if (!url || text.length > 2000 || url.hash !== '' || url.username !== '' || url.password !== '')
    return false;
  if (url.protocol === 'http:') return isLoopback(url.hostname);
  return url.protocol === 'https:' || /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol);
}

/** The providers as the API returns them, without secrets. */
export function shownProviders(providers: readonly Provider[]): Omit<Provider, 'clientSecret'>[] {
  return providers.map(({ clientSecret: _, ...rest }) => rest);
}
