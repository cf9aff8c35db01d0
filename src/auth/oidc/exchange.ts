import { timingSafeEqual } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { digest } from '../../access/secret.ts';
import { Failure } from '../../failure.ts';
import { isEmail } from '../../model/fields/email.ts';
import { Form } from '../../model/form.ts';
import type { Identity, NewUser } from '../../store/identities.ts';
import type { AuthAsk } from '../ask.ts';
import { profileOf } from '../profile.ts';
import { signInWithFactor } from '../sign-in-factor.ts';
import { type Arrival, arrivalKind, challengeOf } from './flow.ts';

/**
 * POST /v1/:project/_auth/exchange. Nothing is created or linked before it: the code went through a browser, while the verifier
 * stayed with the app that began the flow, and only both together prove that it is the same person.
 */
export async function exchangeCode(ask: AuthAsk): Promise<string> {
  const { accounts } = ask.project.store;
  const form = new Form(await ask.body(), ['code', 'verifier']);
  const [code, verifier] = [form.text('code'), form.text('verifier')];
  form.done();
  const data = await accounts.spendStep(digest(code), arrivalKind, ask.now);
  if (data === undefined) throw badCode();
  const arrival = JSON.parse(data) as Arrival;
  const [sent, expected] = [Buffer.from(challengeOf(verifier)), Buffer.from(arrival.challenge)];
  if (!timingSafeEqual(sent, expected)) throw badCode();
  const id = arrival.linker ? await link(ask, arrival, arrival.linker) : await accountOf(ask, arrival);
  const user = await accounts.findUser(id);
  const known = user && !user.disabled ? await accounts.findPassword(user.email) : undefined;
  if (!known) throw disabled();
  const { issuer, subject } = arrival.claims;
  return signInWithFactor(ask, known.user, { passwordHash: known.hash, identity: { issuer, subject } });
}

const badCode = () =>
  new Failure(
    'unauthenticated',
    'The code is not valid, was used, or is not for this verifier: sign in again',
  );

const disabled = () =>
  new Failure('unauthenticated', "This account can't sign in: ask whoever runs this project");

/** Links the provider to the account of the user who began the flow. The write checks again that they are still signed in. */
async function link(
  ask: AuthAsk,
  arrival: Arrival,
  { user, session }: { user: string; session: string },
): Promise<string> {
  const { accounts } = ask.project.store;
  if ((await accounts.findSession(session, null))?.user !== user)
    throw new Failure('unauthenticated', 'You have signed out meanwhile: sign in, and link it again');
  const owner = await accounts.findIdentity(arrival.claims.issuer, arrival.claims.subject);
  if (owner === user) return user;
  const own = accounts.as({ kind: 'user', user, session, workspace: null });
  const linked = owner === undefined && (await own.addIdentity(identityOf(ask, arrival, user), plain));
  if (!linked) throw new Failure('conflict', 'This account of the provider is linked to another user');
  return user;
}

const plain = { verified: false };

async function accountOf(ask: AuthAsk, arrival: Arrival): Promise<string> {
  const { accounts } = ask.project.store;
  const { issuer, subject, email, verified } = arrival.claims;
  const owner = await accounts.findIdentity(issuer, subject);
  if (owner !== undefined) return owner;
  if (email === undefined || !isEmail(email))
    throw new Failure(
      'conflict',
      'The provider gave no email address: allow it to share yours, and sign in again',
    );
  const there = await accounts.findPassword(email);
  if (!there) return make(ask, arrival, email);
  // The address alone proves nothing: somebody else may have registered with it before.
  if (!there.user.verified || !verified) throw notJoined(email, verified);
  if (there.user.disabled) throw disabled();
  const joined = await accounts.addIdentity(identityOf(ask, arrival, there.user.id), { verified: true });
  if (!joined) throw notJoined(email, verified);
  return there.user.id;
}

function notJoined(email: string, verified: boolean): Failure {
  const why = verified ? 'its address is not verified' : 'the provider has not verified yours';
  return new Failure(
    'conflict',
    `There is an account with the address ${email}, and ${why}: sign in to it with its password (or set a new one), verify the address, and link the provider`,
  );
}

async function make(ask: AuthAsk, arrival: Arrival, email: string): Promise<string> {
  if (ask.settings.registration === 'closed') {
    throw new Failure('forbidden', 'Registration is closed: ask whoever runs this project for an account');
  }
  const { verified, name } = arrival.claims;
  const user: NewUser = {
    ...{ id: uuidv7(), email, name, verified, profile: profileOf(ask.settings).empty },
    ...{ created: ask.now, updated: ask.now },
  };
  const made = await ask.project.store.accounts.addIdentity(identityOf(ask, arrival, user.id), { user });
  if (!made) throw new Failure('conflict', 'The account was created a moment ago: sign in again');
  return user.id;
}

function identityOf({ now }: AuthAsk, { provider, claims }: Arrival, user: string): Identity {
  const { issuer, subject, email = '' } = claims;
  return { id: uuidv7({ msecs: now }), user, provider, issuer, subject, email, created: now };
}
