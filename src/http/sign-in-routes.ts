import type { AuthAsk } from '../auth/ask.ts';
import { beginTotp, confirmTotp, endTotp, loginTotp } from '../auth/totp.ts';
import { authHandler } from './auth-handler.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** /v1/:project/_auth: ways to sign in beside a password. The paths are without the prefix. */
export function signInRoutes(services: Services): Omit<Route, 'cors'>[] {
  type Run = (ask: AuthAsk) => Promise<string>;
  const open = (run: Run) => authHandler(services, 200, run, 'open');
  const signedIn = (run: Run) => authHandler(services, 200, run, 'signedIn');
  const enrolling = (run: Run) => authHandler(services, 200, run, 'enrolling');
  return [
    { path: '/login/totp', verbs: { POST: open(loginTotp) } },
    { path: '/totp', verbs: { POST: enrolling(beginTotp), DELETE: signedIn(endTotp) } },
    { path: '/totp/confirm', verbs: { POST: enrolling(confirmTotp) } },
  ];
}
