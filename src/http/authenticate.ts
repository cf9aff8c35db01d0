import { administrator, type Caller, nobody } from '../access/caller.ts';
import { sameSecret } from '../access/secret.ts';
import { Failure } from '../failure.ts';
import type { Services } from './services.ts';

/** Who sends a request. A token that is not good is never taken for no token. */
export function authenticate({ adminKey }: Services, headers: Headers): Caller {
  const header = headers.get('authorization');
  if (header === null) return nobody;
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) {
    throw new Failure('unauthenticated', 'The Authorization header must be: Bearer <token>');
  }
  if (adminKey !== undefined && sameSecret(token, adminKey)) return administrator;
  throw new Failure('unauthenticated', 'The token is not valid or has expired');
}

export function requireAdministrator(services: Services, headers: Headers): void {
  const caller = authenticate(services, headers);
  if (caller.kind === 'administrator') return;
  if (caller.kind === 'nobody') {
    throw new Failure(
      'unauthenticated',
      "Management needs the header Authorization: Bearer <administrator's key>",
    );
  }
  throw new Failure('forbidden', 'Management is for the administrator alone');
}
