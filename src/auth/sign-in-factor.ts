import type { User } from '../store/accounts.ts';
import type { Identity } from '../store/identities.ts';
import type { AuthAsk } from './ask.ts';
import { askForFactor } from './factor.ts';
import { signIn } from './sign-in.ts';

/** The result of the first step of a sign-in; `identity` is set if it was by a provider and not by password. */
interface Came {
  readonly passwordHash: string;
  readonly identity?: Pick<Identity, 'issuer' | 'subject'>;
}

export interface FirstHalf extends Came {
  readonly user: string;
}

/** Completes a successful first step: returns tokens, or asks for the second factor if the user has one. */
export async function signInWithFactor(ask: AuthAsk, user: User, came: Came): Promise<string> {
  const { accounts } = ask.project.store;
  const [hasFactor, workspace] = await Promise.all([
    accounts.hasFactor(user.id),
    accounts.firstWorkspaceOf(user.id),
  ]);
  if (hasFactor) {
    const half: FirstHalf = { user: user.id, ...came };
    return askForFactor(accounts, half, ask.now);
  }
  return signIn(ask, user, workspace, { ...came, withoutFactor: true });
}
