import { v5 as uuidv5 } from 'uuid';
import { type Passwords, passwordRule } from '../access/password.ts';
import { digest, randomSecret } from '../access/secret.ts';
import type { SignInLimit } from '../access/sign-in-limit.ts';
import { askForFactor } from '../auth/factor.ts';
import { checkPassword, readCredentials } from '../auth/login.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import { formatInstant } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import { pageJson, readPage } from '../query/page.ts';
import {
  type AdministratorInvitation,
  type Administrators,
  administratorIdle,
} from '../store/administrators.ts';
import type { AuditEntry, AuditLog } from '../store/audit.ts';
import { recentEntries } from './recent-entries.ts';

const longestSession = 12 * 60 * 60_000;
const invitationHours = 24;

export interface SignInAsk {
  readonly body: JsonObject;
  readonly address: string;
  readonly limit: SignInLimit;
  readonly passwords: Passwords;
  readonly now: number;
  /** Called with the address when it is known to be an administrator's, for the audit. */
  found(email: string): void;
  /** Writes the attempt to the audit, where no password check does. */
  begin(): Promise<void>;
}

/** The result of the first step of a sign-in, by password. */
export interface FirstHalf {
  readonly email: string;
  readonly passwordHash: string;
}

/** POST /v1/_admin/login */
export async function login(administrators: Administrators, ask: SignInAsk): Promise<string> {
  const { email, password } = readCredentials(ask.body);
  const hash = await administrators.findPassword(email);
  if (hash !== undefined) ask.found(email);
  await checkPassword(ask, `_admin ${email}`, password, hash);
  const half: FirstHalf = { email, passwordHash: hash ?? '' };
  if (await administrators.hasFactor(email)) return askForFactor(administrators, half, ask.now);
  return signIn(administrators, email, half.passwordHash, ask.now);
}

/** POST /v1/_admin/setup: creates the first administrator, with the token of the printed link, or an invited one. */
export async function setup(administrators: Administrators, ask: SignInAsk): Promise<string> {
  const { passwords, now } = ask;
  const form = new Form(ask.body, ['token', 'email', 'password']);
  const token = form.text('token');
  const email = form.email('email');
  const password = form.text('password', passwordRule);
  form.done();
  // Hashing is expensive, so the link is checked first.
  await requireLink(administrators, ask, digest(token), email);
  const hash = await passwords.hash(password);
  if (!(await administrators.completeSetup(digest(token), email, hash, now))) throw badLink();
  return signIn(administrators, email, hash, now);
}

/** Wrong links are limited like failed sign-ins, but by the client's address alone, as everything else can be made up. */
async function requireLink(
  administrators: Administrators,
  { address, limit, now, begin }: SignInAsk,
  link: string,
  email: string,
): Promise<void> {
  if (await administrators.isSetupOpen(link, email, now)) return;
  await limit.attempt(address, '_admin setup', now, async () => {
    await begin();
    return false;
  });
  throw badLink();
}

function badLink(): Failure {
  return new Failure(
    'forbidden',
    'The set-up link was used, is not the newest or is for another address: restart the server, or ask whoever invited you, for a new one',
  );
}

export async function signIn(
  administrators: Administrators,
  email: string,
  passwordHash: string,
  now: number,
): Promise<string> {
  const accessToken = `va_${randomSecret()}`;
  const session = { digest: digest(accessToken), email, ends: now + longestSession, passwordHash };
  if (!(await administrators.openSession(session, now))) {
    throw new Failure('unauthenticated', 'The account has changed meanwhile: sign in again');
  }
  return JSON.stringify({
    administrator: { email },
    accessToken,
    tokenType: 'Bearer',
    expiresIn: administratorIdle / 1000,
  });
}

/** GET /v1/_admin/me. The holder of VITRINE_ADMIN_KEY has no account. */
export async function viewMe(administrators: Administrators, token: string, now: number): Promise<string> {
  const session = await administrators.useSession(digest(token), now);
  return JSON.stringify(
    session
      ? { ...administratorResult(session.email), expiresAt: formatInstant(session.expires) }
      : { _id: null, email: null, expiresAt: null },
  );
}

/** POST /v1/_admin/logout */
export async function logout(administrators: Administrators, token: string): Promise<string> {
  await administrators.endSession(digest(token));
  return '{}';
}

export async function listAdministrators(administrators: Administrators, query: string): Promise<string> {
  const page = readPage(query);
  const { total, found } = await administrators.list(page);
  return pageJson(page, total, found.map(administratorResult));
}

/** POST /v1/_admin/administrators: makes a link to choose a password and become an administrator. `base`: the console's URL. */
export async function inviteAdministrator(
  administrators: Administrators,
  body: JsonObject,
  base: string,
  now: number,
): Promise<string> {
  const form = new Form(body, ['email']);
  const email = form.email('email');
  form.done();
  const token = randomSecret();
  const expires = now + invitationHours * 60 * 60_000;
  if (!(await administrators.invite({ digest: digest(token), email, expires }))) {
    throw new Failure('conflict', `email: ${email} is an administrator already`);
  }
  const link = `${base}/_console/setup?email=${encodeURIComponent(email)}#${token}`;
  return JSON.stringify({ ...invitationResult({ email, expires }), link });
}

/** GET /v1/_admin/administrators/invitations: those that can still be used. The link of each was answered once. */
export async function listInvitations(
  administrators: Administrators,
  query: string,
  now: number,
): Promise<string> {
  const page = readPage(query);
  const { total, found } = await administrators.listInvitations(page, now);
  return pageJson(page, total, found.map(invitationResult));
}

/** DELETE /v1/_admin/administrators/invitations/:id. Whoever has used it meanwhile stays an administrator. */
export async function withdrawInvitation(administrators: Administrators, id: string): Promise<string> {
  const withdrawn = await administrators.withdrawInvitations((email) => idOf(email) === id);
  if (withdrawn === 0) throw new Failure('absent', `There is no open invitation '${id}'`);
  return JSON.stringify({ _id: id });
}

/** DELETE /v1/_admin/administrators/:id: withdraws unused invitations too. `removed`: called to end the rest. */
export async function removeAdministrator(
  { administrators, audit }: Managed,
  { id, now }: { readonly id: string; readonly now: number },
  removed: (email: string) => Promise<void>,
): Promise<string> {
  let found = '';
  const isMadeBy = await readMakers(audit, now);
  const isIt = (email: string) => {
    found = email;
    return idOf(email) === id;
  };
  const outcome = await administrators.remove(isIt, (email) => isMadeBy(email, found));
  if (outcome === 'absent') throw new Failure('absent', `There is no administrator '${id}'`);
  if (outcome === 'last') {
    throw new Failure('conflict', "The last administrator can't be removed: invite another one first");
  }
  await removed(found);
  return JSON.stringify({ _id: id });
}

type Managed = Pick<Catalog, 'administrators' | 'audit'>;

/** The action's name in the audit. */
export const invitation = 'administrator.invite';

/**
 * Withdraws the unused links that a removed administrator made: one of them may be for themselves. `removeAdministrator` has
 * withdrawn those it knew of; this is for a link that was made at the same moment.
 */
export async function withdrawInvitations(
  { administrators, audit }: Managed,
  actor: string,
  now: number,
): Promise<void> {
  const isMadeBy = await readMakers(audit, now);
  await administrators.withdrawInvitations((email) => isMadeBy(email, actor));
}

/**
 * Tells whether somebody made the link for an address: the newest audit entry about that address says who did. An entry of
 * theirs without an outcome does not name its address yet, so it counts for every address.
 */
async function readMakers(audit: AuditLog, now: number): Promise<(email: string, actor: string) => boolean> {
  const since = now - 2 * invitationHours * 60 * 60_000; // twice as long, as clocks of two machines differ
  const made = await recentEntries(audit, { action: invitation }, since);
  return (email, actor) => {
    const id = idOf(email);
    const isOpen = (entry: AuditEntry) => entry.actor === actor && entry.outcome === null;
    return made.find((entry) => entry.target === id || isOpen(entry))?.actor === actor;
  };
}

/** Only the address identifies an administrator, so the id is derived from it. */
const idOf = (email: string) => uuidv5(email, '6f7a3f8e-6f55-5c39-9d1a-7f0f3a5c2b10');
const administratorResult = (email: string) => ({ _id: idOf(email), email });
const invitationResult = ({ email, expires }: AdministratorInvitation) => ({
  ...administratorResult(email),
  expiresAt: formatInstant(expires),
});
