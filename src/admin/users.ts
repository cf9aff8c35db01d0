import { type Passwords, passwordRule } from '../access/password.ts';
import type { ReadTurn } from '../access/turns.ts';
import { type CurrentSettings, changeUser } from '../auth/change-user.ts';
import { leavingRecords } from '../auth/delete-account.ts';
import { profileOf, readSentProfile } from '../auth/profile.ts';
import { createUser as make } from '../auth/register.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import { formatInstant } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import { readSearch } from '../model/search.ts';
import { pageJson, readPageWith } from '../query/page.ts';
import { mostWords } from '../query/query.ts';
import type { Departures } from '../records/departures.ts';
import type { User, UserChange } from '../store/accounts.ts';
import type { AuthSettings } from '../store/project-record.ts';

interface Leaving {
  readonly departures: Departures;
  readonly now: number;
}

export async function listUsers(
  { store }: ProjectAccounts,
  settings: AuthSettings,
  query: string,
  turn: ReadTurn,
): Promise<string> {
  const page = readPageWith(query, ['search', 'email']);
  const { email, search } = page.given;
  const which = {
    ...(email !== undefined && { email: email.trim().toLowerCase() }),
    ...(search !== undefined && { search: readWords(search) }),
  };
  const { limit, offset } = page;
  const { total, found } = await store.accounts.listUsers({ limit, offset }, which, turn);
  return pageJson(
    page,
    total,
    found.map((user) => userResult(settings, user)),
  );
}

function readWords(search: string): readonly string[] {
  const words = readSearch(search);
  if (words.length <= mostWords) return words;
  throw new Failure('invalid', [
    { at: 'search', message: `must be at most ${mostWords} words, not ${words.length}` },
  ]);
}

export async function createUser(
  { store }: ProjectAccounts,
  settings: AuthSettings,
  passwords: Passwords,
  body: JsonObject,
  now: number,
): Promise<string> {
  return JSON.stringify(userResult(settings, await make(store.accounts, settings, passwords, body, now)));
}

export async function viewUser(
  { store }: ProjectAccounts,
  settings: AuthSettings,
  id: string,
): Promise<string> {
  return JSON.stringify(userResult(settings, found(await store.accounts.findUser(id), id)));
}

export async function updateUser(
  { store }: ProjectAccounts,
  known: CurrentSettings,
  passwords: Passwords,
  id: string,
  body: JsonObject,
): Promise<string> {
  const { password } = readChange(body, known.settings);
  const hash = password === undefined ? {} : { passwordHash: await passwords.hash(password) };
  const { updated, settings } = await changeUser(store.accounts, id, known, (current) => {
    return { ...readChange(body, current).change, ...hash };
  });
  return JSON.stringify(userResult(settings, found(updated, id)));
}

function readChange(body: JsonObject, settings: AuthSettings) {
  const { update } = profileOf(settings);
  const form = new Form(body, ['name', 'email', 'password', 'disabled', 'verified', 'profile']);
  const password = form.has('password') ? form.text('password', passwordRule) : undefined;
  const change: UserChange = {
    ...(form.has('name') && { name: form.text('name', { least: 0 }) }),
    ...(form.has('email') && { email: form.email('email') }),
    ...(form.has('disabled') && { disabled: form.flag('disabled') }),
    ...(form.has('verified') && { verified: form.flag('verified') }),
    ...(form.has('profile') && { profile: readSentProfile(form, (sent) => update(sent, 'server')) }),
  };
  form.done();
  return { change, password };
}

/** If they are the last owner of a workspace, its longest-standing member becomes the owner. */
export async function deleteUser(
  ask: Leaving,
  project: ProjectAccounts,
  id: string,
  { onUserDelete: records }: AuthSettings,
): Promise<string> {
  const how = { records, lastOwner: 'replace', now: ask.now } as const;
  await leavingRecords({ ...ask, project }, records, async () => {
    if (!(await project.store.accounts.deleteUser(id, how))) found(undefined, id);
  });
  return JSON.stringify({ _id: id });
}

/** Ends all sessions of the user. */
export async function endSessions({ store }: ProjectAccounts, id: string): Promise<string> {
  found(await store.accounts.findUser(id), id);
  await store.accounts.endOtherSessions(id, '');
  return '{}';
}

/** DELETE …/users/:id/totp: for a user who has lost both the phone and the recovery codes. */
export async function endUserTotp({ store }: ProjectAccounts, id: string): Promise<string> {
  found(await store.accounts.findUser(id), id);
  if (!(await store.accounts.removeFactor(id))) {
    throw new Failure('absent', 'The user has no second factor');
  }
  return JSON.stringify({ _id: id });
}

function found(user: User | undefined, id: string): User {
  if (!user) throw new Failure('absent', `There is no user '${id}'`);
  return user;
}

function userResult(settings: AuthSettings, user: User): object {
  const { id, email, name, disabled, verified, profile, created, updated } = user;
  return {
    _id: id,
    email,
    name,
    disabled,
    verified,
    profile: profileOf(settings).shown(profile),
    _createdAt: formatInstant(created),
    _updatedAt: formatInstant(updated),
  };
}
