import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { Clock, makePeople, minute, type People } from '../auth/people.ts';
import { startApp, type TestApp } from '../harness.ts';
import { Dice } from '../reference/dice.ts';
import { seed } from '../seed.ts';
import { resultOf } from '../support.ts';
import { Post, tokenIn } from './post.ts';

/** Random lives of three accounts, beside a plain model that knows which token is good for what. */

interface Account {
  readonly id: string;
  readonly first: string;
  email: string;
  password: number;
  verified: boolean;
  disabled: boolean;
}

interface Token {
  readonly text: string;
  readonly purpose: Purpose;
  readonly account: Account;
  readonly address: string;
  readonly target: string;
  readonly password: number;
  readonly expires: number;
  spent: boolean;
}

type Purpose = 'reset' | 'verify' | 'email';
const purposes: readonly Purpose[] = ['reset', 'verify', 'email'];
const hour = 60 * minute;
const life = { reset: hour, verify: 24 * hour, email: 24 * hour };
const calls = { reset: 'reset', verify: 'verify', email: 'email/confirm' };
const steps = 160;

const clock = new Clock();
const post = new Post();
let dice: Dice;
let app: TestApp;
let people: People;
const accounts: Account[] = [];
const tokens: Token[] = [];
let passwords = 0;
before(async () => {
  app = await startApp({ now: clock.now, mail: post });
  people = await makePeople(app);
  for (const name of ['ann', 'ben', 'cid']) {
    const email = people.email(name);
    const body = { email, password: secretOf(0) };
    const { user } = resultOf(await people.auth('POST', 'register', body), 201) as { user: { _id: string } };
    accounts.push({ id: user._id, first: email, email, password: 0, verified: false, disabled: false });
  }
});
after(() => app.close());

const secretOf = (password: number) => `correct horse ${password}`;

async function signIn({ email, password }: Account): Promise<string> {
  const body = { email, password: secretOf(password) };
  return String(resultOf(await people.auth('POST', 'login', body)).accessToken);
}

/** Asks for a mail as that account, and keeps what comes of it. */
async function ask(account: Account, purpose: Purpose): Promise<void> {
  clock.move(13 * minute); // no more than five in an hour
  const token = purpose === 'reset' || account.disabled ? '' : await signIn(account);
  const free = ['x', 'y'].map((name) => `${name}-${account.first}`).find((one) => one !== account.email);
  const target = purpose === 'email' ? dice.pick([free ?? '', dice.pick(accounts).first]) : '';
  const before = post.sent.length;
  if (purpose === 'reset') resultOf(await people.auth('POST', 'forgot', { email: account.email }));
  else if (account.disabled || target === account.email) return;
  else if (purpose === 'verify') resultOf(await people.auth('POST', 'verify/send', undefined, { token }));
  else {
    const body = { email: target, currentPassword: secretOf(account.password) };
    resultOf(await people.auth('POST', 'email', body, { token }));
  }
  await app.work();
  const to = purpose === 'email' ? target : account.email;
  const taken = purpose === 'email' && accounts.some(({ email }) => email === target);
  const expected = !account.disabled && !taken && !(purpose === 'verify' && account.verified);
  const sent = post.sent.slice(before).filter((mail) => mail.to === to && mail.text.includes('token='));
  assert.equal(sent.length, expected ? 1 : 0, `${purpose} for ${account.email}`);
  for (const { text } of sent) {
    const { email: address, password } = account;
    const bound = { account, address, target, password, expires: clock.now() + life[purpose], spent: false };
    tokens.push({ text: tokenIn(text), purpose, ...bound });
  }
}

function isGood({ account, address, password, expires, spent }: Token): boolean {
  const same = account.email === address && account.password === password;
  return same && !spent && !account.disabled && expires > clock.now();
}

/** Uses a token, mostly for what it is for. */
async function use(token: Token): Promise<void> {
  const purpose = dice.below(4) === 0 ? dice.pick(purposes) : token.purpose;
  const { account, target } = token;
  const good = purpose === token.purpose && isGood(token);
  const taken = purpose === 'email' && accounts.some((one) => one !== account && one.email === target);
  const password = passwords + 1;
  const body = { token: token.text, ...(purpose === 'reset' && { password: secretOf(password) }) };
  const { status } = await people.auth('POST', calls[purpose], body);
  assert.equal(status, good ? (taken ? 409 : 200) : 400, `${purpose} with ${JSON.stringify(token)}`);
  if (!good || taken) return;
  for (const one of tokens) {
    if (one.account === account && (purpose !== 'verify' || one.purpose === 'verify')) one.spent = true;
  }
  account.verified = true;
  if (purpose === 'email') account.email = target;
  if (purpose !== 'reset') return;
  passwords = password;
  account.password = password;
}

async function manage(account: Account): Promise<void> {
  const path = `/users/${account.id}`;
  const change = dice.pick(['disable', 'enable', 'enable', 'password', 'email', 'unverify'] as const);
  if (change === 'disable' || change === 'enable') {
    account.disabled = change === 'disable';
    resultOf(await people.manage('PATCH', path, { disabled: account.disabled }));
  } else if (change === 'password') {
    passwords += 1;
    account.password = passwords;
    resultOf(await people.manage('PATCH', path, { password: secretOf(passwords) }));
  } else if (change === 'unverify') {
    account.verified = false;
    resultOf(await people.manage('PATCH', path, { verified: false }));
  } else if (!accounts.some(({ email }) => email === account.first)) {
    account.email = account.first;
    account.verified = false;
    resultOf(await people.manage('PATCH', path, { email: account.first }));
  }
}

it(`a token does what it is for, once, as long as all it is bound to is as it was (VITRINE_SEED=${seed})`, async () => {
  const lives = fc.asyncProperty(fc.gen(), async (draw) => {
    dice = new Dice(draw);
    await live();
  });
  await fc.assert(lives, { seed, numRuns: 1, endOnFailure: true });
});

async function live(): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const account = dice.pick(accounts);
    const what = dice.below(10);
    if (what < 4 || tokens.length === 0) await ask(account, dice.pick(purposes));
    else if (what < 8) await use(dice.pick(tokens.slice(-6)));
    else await manage(account);
  }
  for (const account of accounts) {
    const found = resultOf(await people.manage('GET', `/users/${account.id}`));
    const { email, verified, disabled } = account;
    assert.deepEqual([found.email, found.verified, found.disabled], [email, verified, disabled]);
    if (!disabled) await signIn(account);
  }
  assert.ok(tokens.filter(({ spent }) => spent).length > 5, 'enough came of it');
}
