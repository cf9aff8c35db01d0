import { Failure } from '../failure.ts';
import type { User } from '../store/accounts.ts';
import { type AuthAsk, requireUser } from './ask.ts';
import { checkPassword } from './login.ts';

/** The caller's account, once they have shown that they know its password. */
export async function confirmPassword(
  ask: AuthAsk,
  current: string,
): Promise<{ readonly user: User; readonly hash: string }> {
  const { user: id } = requireUser(ask);
  const { accounts } = ask.project.store;
  const user = await accounts.findUser(id);
  const known = user && (await accounts.findPassword(user.email));
  if (!known) throw gone();
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
