import type { AuthAsk } from '../auth/ask.ts';
import { exchangeCode } from '../auth/oidc/exchange.ts';
import { linkProvider, listIdentities, listProviders, removeIdentity } from '../auth/oidc/identities.ts';
import { beginTotp, confirmTotp, endTotp, loginTotp } from '../auth/totp.ts';
import { authHandler } from './auth-handler.ts';
import { oidcRoutes } from './oidc-routes.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** /v1/:project/_auth: ways to sign in besides a password. The paths are without the prefix. */
export function signInRoutes(services: Services): Omit<Route, 'cors'>[] {
  type Run = (ask: AuthAsk) => Promise<string>;
  const open = (run: Run) => authHandler(services, 200, run, 'open');
  const signedIn = (run: Run) => authHandler(services, 200, run, 'signedIn');
  const enrolling = (run: Run) => authHandler(services, 200, run, 'enrolling');
  const oidc = oidcRoutes(services);
  return [
    { path: '/login/totp', verbs: { POST: open(loginTotp) } },
    { path: '/totp', verbs: { POST: enrolling(beginTotp), DELETE: signedIn(endTotp) } },
    oidc.callback,
    { path: '/oidc/:provider', verbs: { GET: oidc.start, POST: signedIn(linkProvider) } },
    { path: '/exchange', verbs: { POST: open(exchangeCode) } },
    { path: '/providers', verbs: { GET: authHandler(services, 200, listProviders, 'openPaged') } },
    { path: '/identities', verbs: { GET: authHandler(services, 200, listIdentities, 'paged') } },
    { path: '/identities/:id', verbs: { DELETE: signedIn(removeIdentity) } },
    { path: '/totp/confirm', verbs: { POST: enrolling(confirmTotp) } },
  ];
}
