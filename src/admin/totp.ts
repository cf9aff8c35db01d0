import { digest } from '../access/secret.ts';
import { newTotpSecret, totpUri } from '../access/totp.ts';
import { confirmCode, confirmFactor, requireCode, requireFirstHalf, spendFirstHalf } from '../auth/factor.ts';
import { checkPassword } from '../auth/login.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import type { Administrators } from '../store/administrators.ts';
import { type FirstHalf, type SignInAsk, signIn } from './administrators.ts';

/** A request of an administrator about their own second factor. */
export interface OwnAsk extends Omit<SignInAsk, 'found' | 'begin'> {
  /** The session token. */
  readonly token: string;
}

/** POST /v1/_admin/login/totp */
export async function loginTotp(administrators: Administrators, ask: SignInAsk): Promise<string> {
  const form = new Form(ask.body, ['factorToken', 'code']);
  const [token, code] = [form.text('factorToken'), form.text('code')];
  form.done();
  const { email, passwordHash } = await requireFirstHalf<FirstHalf>(administrators, token, ask.now);
  ask.found(email);
  await ask.begin();
  await requireCode(administrators, email, code, ask.now);
  await spendFirstHalf(administrators, token, ask.now);
  return signIn(administrators, email, passwordHash, ask.now);
}

/** POST /v1/_admin/totp */
export async function beginTotp(administrators: Administrators, token: string, now: number): Promise<string> {
  const email = await requireOwn(administrators, token, now);
  const secret = newTotpSecret();
  if (!(await administrators.beginFactor(email, secret))) {
    throw new Failure('conflict', 'There is a second factor already: turn it off first with DELETE totp');
  }
  return JSON.stringify({ secret, uri: totpUri('Vitrine', email, secret) });
}

/** POST /v1/_admin/totp/confirm */
export async function confirmTotp(
  administrators: Administrators,
  { body, token, now }: OwnAsk,
): Promise<string> {
  const email = await requireOwn(administrators, token, now);
  const form = new Form(body, ['code']);
  const code = form.text('code');
  form.done();
  return confirmFactor(administrators, email, code, now);
}

/** DELETE /v1/_admin/totp */
export async function endTotp(administrators: Administrators, ask: OwnAsk): Promise<string> {
  const email = await requireOwn(administrators, ask.token, ask.now);
  const form = new Form(ask.body, ['currentPassword', 'code']);
  const [current, code] = [form.text('currentPassword', { most: 256 }), form.text('code')];
  form.done();
  const hash = await administrators.findPassword(email);
  try {
    await checkPassword(ask, `_admin ${email}`, current, hash);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'unauthenticated') throw error;
    throw new Failure('invalid', 'currentPassword: is not your password');
  }
  await confirmCode(administrators, email, code, ask.now);
  await administrators.removeFactor(email);
  return '{}';
}

/** The holder of VITRINE_ADMIN_KEY has no account. */
async function requireOwn(administrators: Administrators, token: string, now: number): Promise<string> {
  const session = await administrators.useSession(digest(token), now);
  if (session) return session.email;
  throw new Failure('forbidden', 'Sign in as an administrator first: the key has no second factor');
}
