import { passwordRule } from '../access/password.ts';
import { Failure } from '../failure.ts';
import type { Form } from '../model/form.ts';
import type { User } from '../store/accounts.ts';
import { type AuthAsk, requireUser } from './ask.ts';
import { checkPassword } from './login.ts';

/** How long after a sign-in an account without a password needs no other proof, in milliseconds. */
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
  const { user: id, session } = requireUser(ask);
  const { accounts } = ask.project.store;
  const user = await accounts.findUser(id);
  const known = user && (await accounts.findPassword(user.email));
  if (!known) throw gone();
  if (known.hash === '') {
    const since = await accounts.signedInAt(session);
    if (since !== undefined && ask.now - since <= fresh) return known;
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

export function gone(): Failure {
  return new Failure('unauthenticated', 'The token is not valid or has expired');
}
