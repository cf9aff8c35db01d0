import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { linkOf, makeToken, tokenLife } from '../mail/compose.ts';
import { formatInstant } from '../model/instant.ts';
import type { ProjectRecord } from '../store/project-record.ts';

/**
 * POST …/users/:id/reset: a link for a new password, to be handed over in another way than by mail. It begins with where
 * people reach this server, where that is known and the app has no page of its own.
 */
export async function makeResetLink(
  { store: { accounts } }: ProjectAccounts,
  id: string,
  { project, publicUrl, now }: { project: ProjectRecord; publicUrl: string; now: number },
): Promise<string> {
  const user = await accounts.findUser(id);
  const known = user && (await accounts.findPassword(user.email));
  if (!known) throw new Failure('absent', `There is no user '${id}'`);
  if (known.user.disabled) throw new Failure('conflict', 'The user is disabled: enable the account first');
  const token = await makeToken('handed', known.user, known.hash, null, { accounts, now });
  const link = linkOf('reset', token, { project, publicUrl });
  return JSON.stringify({ link, expiresAt: formatInstant(now + tokenLife.handed) });
}
