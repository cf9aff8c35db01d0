import type { Caller } from '../access/caller.ts';
import { findActBy } from './act-by.ts';
import type { Services } from './services.ts';

/**
 * Checks what only the instance knows and the project does not: an administrator's session, and the password of somebody who
 * acts for a user.
 */
export async function isStillSignedIn(services: Services, caller: Caller): Promise<boolean> {
  if (caller.kind === 'user' && caller.act !== undefined)
    return (await findActBy(services, caller.act)) === caller.actBy;
  if (caller.kind !== 'administrator' || caller.signIn === undefined) return true;
  // Without a clock: during a long download the caller may send nothing else for longer than an idle session lasts.
  return services.catalog.administrators.hasSession(caller.signIn, 0);
}
