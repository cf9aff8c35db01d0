import { hashPassword, passwordRule } from '../access/password.ts';
import { digest, randomSecret } from '../access/secret.ts';
import type { SignInLimit } from '../access/sign-in-limit.ts';
import { checkPassword, readCredentials } from '../auth/login.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import type { JsonObject } from '../model/json.ts';
import type { Administrators } from '../store/store.ts';

const sessionSeconds = 12 * 60 * 60;

export interface SignInAsk {
  readonly body: JsonObject;
  readonly address: string;
  readonly limit: SignInLimit;
  readonly now: number;
}

/** POST /v1/_admin/login */
export async function login(administrators: Administrators, ask: SignInAsk): Promise<string> {
  const { email, password } = readCredentials(ask.body);
  const hash = await administrators.findPassword(email);
  await checkPassword(ask, `administrator ${email}`, password, hash);
  return signIn(administrators, email, hash ?? '', ask.now);
}

/** POST /v1/_admin/setup: makes the first administrator, once, with the token of the printed link. */
export async function setup(administrators: Administrators, { body, now }: SignInAsk): Promise<string> {
  const form = new Form(body, ['token', 'email', 'password']);
  const token = form.text('token');
  const email = form.email('email');
  const password = form.text('password', passwordRule);
  form.done();
  const hash = await hashPassword(password);
  const done = await administrators.completeSetup(digest(token), email, hash);
  if (!done) {
    throw new Failure(
      'forbidden',
      'The set-up link is used up or not the newest: restart the server for a new one',
    );
  }
  return signIn(administrators, email, hash, now);
}

async function signIn(
  administrators: Administrators,
  email: string,
  passwordHash: string,
  now: number,
): Promise<string> {
  const accessToken = `va_${randomSecret()}`;
  const session = { digest: digest(accessToken), email, expires: now + sessionSeconds * 1000, passwordHash };
  if (!(await administrators.openSession(session, now))) {
    throw new Failure('unauthenticated', 'The account has changed meanwhile: sign in again');
  }
  return JSON.stringify({
    administrator: { email },
    accessToken,
    tokenType: 'Bearer',
    expiresIn: sessionSeconds,
  });
}
