import { digest } from '../access/secret.ts';
import type { Services } from './services.ts';

/** A digest of an administrator's password or key, which changes with it. undefined: they are no administrator any more. */
export async function findActBy(
  { adminKeyDigest, adminKeyName, catalog }: Pick<Services, 'adminKeyDigest' | 'adminKeyName' | 'catalog'>,
  actor: string,
): Promise<string | undefined> {
  const secret = actor === adminKeyName ? adminKeyDigest : await catalog.administrators.findPassword(actor);
  return secret === undefined ? undefined : digest(secret);
}
