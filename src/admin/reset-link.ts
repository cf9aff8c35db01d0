import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { linkOf, makeToken, tokenLife } from '../mail/compose.ts';
import { formatInstant } from '../model/instant.ts';
import type { ProjectRecord } from '../store/project-record.ts';

/**
 * POST …/users/:id/reset: a link to set a new password, to be passed on by other means than mail. Without a page of the app's own
 * it leads to this server, and begins with the server's public URL if that is known.
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
