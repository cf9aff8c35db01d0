import { readNetworks } from '../../access/networks.ts';
import { digest, randomSecret } from '../../access/secret.ts';
import { SignInLimit } from '../../access/sign-in-limit.ts';
import { actors } from '../../audit/audit.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createApp } from '../../http/app.ts';
import { defaultLimits } from '../../http/services.ts';
import type { Log } from '../../log.ts';

/** Where a command sends its requests, and the token it sends. */
export interface Endpoint {
  readonly url: string;
  readonly token: string;
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** The same application that a server runs, in this process and without a socket, for its administrator. */
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
    url: 'http://vitrine.local', // a name that is never looked up
    token,
    fetch: async (url, init) => app.fetch(new Request(url, init)),
  };
}
