import { readNetworks } from '../../access/networks.ts';
import { digest, randomSecret } from '../../access/secret.ts';
import { SignInLimit } from '../../access/sign-in-limit.ts';
import { actors } from '../../audit/audit.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createApp } from '../../http/app.ts';
import { defaultLimits } from '../../http/services.ts';
import type { Log } from '../../log.ts';

/** Where a command sends its requests, and with which token. */
export interface Endpoint {
  readonly url: string;
  readonly token: string;
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** The same app that a server runs, called in this process without a socket, as its administrator. */
export function localEndpoint(catalog: Catalog, log: Log): Endpoint {
  const token = randomSecret();
  const app = createApp({
    catalog,
    log,
    now: Date.now,
    adminKeyDigest: digest(token),
    adminKeyName: actors.commandLine,
    signInLimit: new SignInLimit(),
    rateLimit: undefined,
    proxies: readNetworks(''),
    limits: defaultLimits,
  });
  return {
    url: 'http://vitrine.local', // never resolved
    token,
    fetch: async (url, init) => app.fetch(new Request(url, init)),
  };
}
