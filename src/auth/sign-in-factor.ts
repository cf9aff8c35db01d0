import type { User } from '../store/accounts.ts';
import type { Identity } from '../store/identities.ts';
import type { AuthAsk } from './ask.ts';
import { askForFactor } from './factor.ts';
import { signIn } from './sign-in.ts';

/** What is known once the first half of a sign-in was good: the identity where they came by one, and not by the password. */
interface Came {
  readonly passwordHash: string;
  readonly identity?: Pick<Identity, 'issuer' | 'subject'>;
}

export interface FirstHalf extends Came {
  readonly user: string;
}

/** Tokens, or what asks for the second factor where the user has one. The first one was good. */
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
