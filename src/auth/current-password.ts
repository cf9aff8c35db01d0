import { invalidToken } from '../access/authority.ts';
import { passwordRule } from '../access/password.ts';
import { Failure } from '../failure.ts';
import type { Form } from '../model/form.ts';
import type { User } from '../store/accounts.ts';
import { type AuthAsk, requireUser } from './ask.ts';
import { checkPassword } from './login.ts';

/** Milliseconds after a sign-in in which it counts as proof of identity without the password. */
const fresh = 5 * 60_000;

export function readCurrentPassword(form: Form): string | undefined {
  return form.given('currentPassword')
    ? form.text('currentPassword', { most: passwordRule.most })
    : undefined;
}

/**
 * The caller's account, after they have proved that it is theirs and that they did not merely find it signed in: by its password
 * or, if it has none, by a recent sign-in.
 */
export async function confirmPassword(
  ask: AuthAsk,
  current: string | undefined,
): Promise<{ readonly user: User; readonly hash: string }> {
  const { user: id } = requireUser(ask);
  const { accounts } = ask.project.store;
  const user = await accounts.findUser(id);
  const known = user && (await accounts.findPassword(user.email));
  if (!known) throw invalidToken();
  if (known.hash === '') {
    if (await isFresh(ask)) return known;
    throw new Failure(
      'forbidden',
      'The account has no password: sign in again, and do this within five minutes',
    );
  }
  if (current === undefined)
    throw new Failure('invalid', [{ at: 'currentPassword', message: 'is required' }]);
  try {
    await checkPassword(ask, `${ask.project.id} ${known.user.email}`, current, known.hash);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'unauthenticated') throw error;
    throw new Failure('invalid', 'currentPassword: is not your password');
  }
  return known;
}

/**
 * Accepts a recent sign-in instead of the password, as apps also send such requests right after it; a password that is sent is
 * checked. Without either, whoever finds an open session could add a way to sign in that survives a change of the password.
 */
export async function confirmPresence(ask: AuthAsk, current: string | undefined): Promise<void> {
  if (current !== undefined) return void (await confirmPassword(ask, current));
  if (await isFresh(ask)) return;
  throw new Failure(
    'forbidden',
    'Send your currentPassword, or sign in again and do this within five minutes',
  );
}

async function isFresh(ask: AuthAsk): Promise<boolean> {
  const since = await ask.project.store.accounts.signedInAt(requireUser(ask).session);
  return since !== undefined && ask.now - since <= fresh;
}
