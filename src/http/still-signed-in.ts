import type { Caller } from '../access/caller.ts';
import { findActBy } from './act-by.ts';
import type { Services } from './services.ts';

/** Whether a caller still has what is of the instance, of which the project knows nothing: an administrator the sign-in, who acts for a user the password. */
export async function isStillSignedIn(services: Services, caller: Caller): Promise<boolean> {
  if (caller.kind === 'user' && caller.act !== undefined)
    return (await findActBy(services, caller.act)) === caller.actBy;
  if (caller.kind !== 'administrator' || caller.signIn === undefined) return true;
  // By no clock: whoever waits for a long download may send nothing else for longer than a sign-in lasts unused.
  return services.catalog.administrators.hasSession(caller.signIn, 0);
}
