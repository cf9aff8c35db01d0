import { invalidToken } from '../access/authority.ts';
import { passwordRule } from '../access/password.ts';
import { Failure } from '../failure.ts';
import type { Form } from '../model/form.ts';
import type { User } from '../store/accounts.ts';
import { type AuthAsk, requireUser } from './ask.ts';
import { checkPassword } from './login.ts';

/** How long after a sign-in it is proof enough where no password is asked for, in milliseconds. */
const fresh = 5 * 60_000;

export function readCurrentPassword(form: Form): string | undefined {
  return form.given('currentPassword')
    ? form.text('currentPassword', { most: passwordRule.most })
    : undefined;
}

/**
 * The caller's account, once they have shown that it is theirs and that they did not merely find it signed in: they know
 * its password, or, where it has none, signed in a moment ago.
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
 * For what an app asks for right after a sign-in too: that is as good as the password, which is checked where it is sent. Without
 * either, whoever found a session open could give themselves a way in that outlives every new password.
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
