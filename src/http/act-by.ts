import { digest } from '../access/secret.ts';
import type { Services } from './services.ts';

/** A digest of what somebody manages by, as the audit names them: a new password or another key makes another one. undefined: nothing any more. */
export async function findActBy(
  { adminKeyDigest, adminKeyName, catalog }: Pick<Services, 'adminKeyDigest' | 'adminKeyName' | 'catalog'>,
  actor: string,
): Promise<string | undefined> {
  const secret = actor === adminKeyName ? adminKeyDigest : await catalog.administrators.findPassword(actor);
  return secret === undefined ? undefined : digest(secret);
}
