import { digest, randomSecret } from '../access/secret.ts';
import { newRecoveryCodes, readRecoveryCode, stepOfCode } from '../access/totp.ts';
import { Failure } from '../failure.ts';
import type { FactorProof, Factors, SignInSteps } from '../store/factors.ts';

/** The second factor, for users and administrators alike. */

const tokenSeconds = 300;
const kind = 'factor';

/** The response to the first step of a sign-in that needs a second factor. `data` is kept for the second step. */
export async function askForFactor(steps: SignInSteps, data: object, now: number): Promise<string> {
  const factorToken = randomSecret();
  const expires = now + tokenSeconds * 1000;
  await steps.saveStep({ digest: digest(factorToken), kind, data: JSON.stringify(data), expires }, now);
  return JSON.stringify({ factorToken, expiresIn: tokenSeconds });
}

/** Returns the data of the first step. A correct code uses it up; a wrong one does not. */
export async function requireFirstHalf<Data>(steps: SignInSteps, token: string, now: number): Promise<Data> {
  const data = await steps.findStep(digest(token), kind, now);
  if (data === undefined) throw noFirstHalf();
  return JSON.parse(data) as Data;
}

export async function spendFirstHalf(steps: SignInSteps, token: string, now: number): Promise<void> {
  if ((await steps.spendStep(digest(token), kind, now)) === undefined) throw noFirstHalf();
}

const noFirstHalf = () =>
  new Failure('unauthenticated', 'The factorToken is not valid or has expired: sign in again');

/** The second step of a sign-in: throws unless the code is valid and unused. */
export async function requireCode(
  factors: Factors,
  account: string,
  code: string,
  now: number,
): Promise<void> {
  if (await takeCode(factors, account, code, now)) return;
  throw new Failure('unauthenticated', 'The code is wrong, too old or was used before');
}

/** For a caller who is signed in: a 401 would tell their client that the session has ended. */
export async function confirmCode(
  factors: Factors,
  account: string,
  code: string,
  now: number,
): Promise<void> {
  if (await takeCode(factors, account, code, now)) return;
  throw new Failure('invalid', [{ at: 'code', message: 'is wrong, too old or was used before' }]);
}

async function takeCode(factors: Factors, account: string, code: string, now: number): Promise<boolean> {
  const factor = await beginTry(factors, account, now);
  const proof = factor.confirmed ? proofOf(factor.secret, code, now) : undefined;
  return proof !== undefined && (await factors.settleTry(account, now, proof));
}

/**
 * Confirms a new factor by its first code, and returns the recovery codes, which are shown only once. With `onlySession`, all
 * other sessions end.
 */
export async function confirmFactor(
  factors: Factors,
  account: string,
  code: string,
  now: number,
  onlySession?: string,
): Promise<string> {
  const factor = await beginTry(factors, account, now);
  if (factor.confirmed) throw new Failure('conflict', 'There is a second factor already');
  const { secret } = factor;
  const step = stepOfCode(secret, code, now);
  if (step === undefined) throw new Failure('invalid', [{ at: 'code', message: 'is wrong or too old' }]);
  const recoveryCodes = newRecoveryCodes();
  const digests = recoveryCodes.map(digest);
  const confirmed = await factors.confirmFactor(account, now, { secret, step }, digests, onlySession);
  if (!confirmed)
    throw new Failure(
      'conflict',
      'The second factor was confirmed or begun anew meanwhile: only a code of the newest secret confirms it',
    );
  return JSON.stringify({ recoveryCodes });
}

async function beginTry(
  factors: Factors,
  account: string,
  now: number,
): Promise<{ readonly secret: string; readonly confirmed: boolean }> {
  const begun = await factors.beginTry(account, now);
  if (!begun) throw new Failure('conflict', 'There is no second factor: begin one with POST totp');
  if (!('retryAfter' in begun)) return begun;
  const retryAfter = Math.max(1, Math.ceil(begun.retryAfter / 1000));
  throw new Failure('tooMany', `Too many wrong codes: try again in ${retryAfter} seconds`, { retryAfter });
}

function proofOf(secret: string, code: string, now: number): FactorProof | undefined {
  const step = stepOfCode(secret, code, now);
  if (step !== undefined) return { step };
  const recovery = readRecoveryCode(code);
  return recovery === undefined ? undefined : { recovery: digest(recovery) };
}
