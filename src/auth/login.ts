import { type Passwords, passwordRule } from '../access/password.ts';
import type { SignInLimit } from '../access/sign-in-limit.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import type { JsonObject } from '../model/json.ts';
import type { AuthAsk } from './ask.ts';
import { signInWithFactor } from './sign-in-factor.ts';

/** POST /v1/:project/_auth/login */
export async function login(ask: AuthAsk): Promise<string> {
  const { accounts } = ask.project.store;
  const { email, password } = readCredentials(await ask.body());
  const known = await accounts.findPassword(email);
  const hash = known?.user.disabled ? undefined : known?.hash;
  await checkPassword(ask, `${ask.project.id} ${email}`, password, hash);
  if (!known) throw wrongCredentials();
  return signInWithFactor(ask, known.user, { passwordHash: known.hash });
}

/** Checks only the syntax of address and password, so that the response does not reveal which addresses are registered. */
export function readCredentials(body: JsonObject): { email: string; password: string } {
  const form = new Form(body, ['email', 'password']);
  const email = form.email('email');
  const password = form.text('password', { most: passwordRule.most });
  form.done();
  return { email, password };
}

interface PasswordAsk {
  readonly limit: SignInLimit;
  readonly passwords: Passwords;
  readonly address: string;
  readonly now: number;
}

/** A wrong password and an unknown account get the same message after the same time. */
export async function checkPassword(
  { limit, passwords, address, now }: PasswordAsk,
  account: string,
  password: string,
  hash: string | undefined,
): Promise<void> {
  const fits = await limit.attempt(address, account, now, () => passwords.fits(password, hash));
  if (!fits) throw wrongCredentials();
}

function wrongCredentials(): Failure {
  return new Failure('unauthenticated', 'The email address or the password is wrong');
}
