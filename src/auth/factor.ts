import { digest, randomSecret } from '../access/secret.ts';
import { newRecoveryCodes, readRecoveryCode, stepOfCode } from '../access/totp.ts';
import { Failure } from '../failure.ts';
import type { FactorProof, Factors, SignInSteps } from '../store/factors.ts';

/** What users and administrators do alike with their second factor. */

const tokenSeconds = 300;
const kind = 'factor';

/** The answer of a sign-in of which the second half is still to come. `data`: what the second half goes on with. */
export async function askForFactor(steps: SignInSteps, data: object, now: number): Promise<string> {
  const factorToken = randomSecret();
  const expires = now + tokenSeconds * 1000;
  await steps.saveStep({ digest: digest(factorToken), kind, data: JSON.stringify(data), expires }, now);
  return JSON.stringify({ factorToken, expiresIn: tokenSeconds });
}

/** What the first half left. It is spent with a good code, not with a wrong one. */
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

/** The second half of a sign-in: throws unless the code is one of the account's, which was not used before. */
export async function requireCode(
  factors: Factors,
  account: string,
  code: string,
  now: number,
): Promise<void> {
  if (await takeCode(factors, account, code, now)) return;
  throw new Failure('unauthenticated', 'The code is wrong, too old or was used before');
}

/** Of somebody who is signed in: a 401 would tell their client that the sign-in has ended. */
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

/** The first code: answers the recovery codes, which are shown only once. `onlySession`: the one sign-in that does not end with it. */
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
