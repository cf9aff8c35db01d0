import { invalidToken } from '../access/authority.ts';
import { Form } from '../model/form.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';
import { confirmPassword, readCurrentPassword } from './current-password.ts';

/** Milliseconds that the request waits for records to be deleted; the rest are deleted in the background. */
const longestWait = 3_000;

/** POST /v1/:project/_auth/me/delete */
export async function deleteAccount(ask: AuthAsk): Promise<string> {
  requireUser(ask);
  const form = new Form(await ask.body(), ['currentPassword']);
  const current = readCurrentPassword(form);
  form.done();
  const { user } = await confirmPassword(ask, current);
  const records = ask.settings.onUserDelete;
  const { accounts } = withRights(ask).project.store;
  await leavingRecords(ask, records, async () => {
    if (!(await accounts.deleteUser(user.id, { records, lastOwner: 'refuse', now: ask.now })))
      throw invalidToken();
  });
  return '{}';
}

/** Deletes a user or workspace with `remove`, and then its records, unless they are to be kept. */
export async function leavingRecords(
  { departures, project }: Pick<AuthAsk, 'departures'> & { readonly project: { readonly id: string } },
  records: 'keep' | 'delete',
  remove: () => Promise<void>,
): Promise<void> {
  if (records === 'keep') return remove();
  await departures.announce(project.id, remove);
  await departures.finish(project.id, AbortSignal.timeout(longestWait));
}
