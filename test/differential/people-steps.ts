import type { Dice } from '../reference/dice.ts';
import { type Desk, json, managePath, projectPath, type Request } from './desk.ts';

const auth = `${projectPath}/_auth`;
const password = 'correct horse battery';
const names = ['ann', 'ben', 'Zoë', 'nobody'];
const email = (name: string) => `${name.toLowerCase().replace('ë', 'e')}@example.com`;

/** Somebody signs up and has a workspace, somebody else may join it, and there is a server key. */
export function settleSteps(dice: Dice): Request[] {
  const signUp = (name: string): Request => ({
    verb: 'POST',
    path: `${auth}/register`,
    body: json({ email: email(name), password, name }),
  });
  return [
    signUp('ann'),
    { verb: 'POST', path: `${auth}/workspaces`, token: '@accessToken.2', body: json({ name: 'North' }) },
    signUp('ben'),
    ...(dice.chance(50) ? [member('@accessToken.2', 3, 'ben')] : []),
    { verb: 'POST', path: `${auth}/login`, body: json({ email: email('ann'), password }) },
    { verb: 'POST', path: `${managePath}/keys`, token: 'admin', body: json({ name: 'backend' }) },
  ];
}

/** To the workspace that was made in this step. */
function member(token: string, step: number, name: string): Request {
  const workspace = `dddddddd-${String(step).padStart(4, '0')}-7000-8000-000000000000`;
  const body = json({ email: email(name), role: 'member' });
  return { verb: 'POST', path: `${auth}/workspaces/${workspace}/members`, token, body };
}

/** Users, workspaces and keys come, change and go. */
export function peopleStep({ dice, known }: Desk): Request {
  const token = dice.pick(['admin', ...known.tokens]);
  const user = dice.pick([...known.users, 'nobody']);
  const workspace = dice.pick([...known.workspaces, 'none']);
  const name = dice.pick(names);
  const managed = { token: dice.pick(['admin', 'admin', token]) };
  const members = `${managePath}/workspaces/${workspace}/members`;
  return dice.pick<Request>([
    { verb: 'GET', path: `${auth}/me`, token },
    { verb: 'PATCH', path: `${auth}/me`, token, body: json({ name: `${name} 👍` }) },
    { verb: 'GET', path: `${auth}/workspaces`, token },
    { verb: 'POST', path: `${auth}/workspaces`, token, body: json({ name: `${name}'s` }) },
    { verb: 'POST', path: `${auth}/switch`, token, body: json({ workspace }) },
    { verb: 'POST', path: `${auth}/switch`, token, body: json({ workspace }) },
    { verb: 'GET', path: `${auth}/workspaces/${workspace}/members`, token },
    { verb: 'DELETE', path: `${auth}/workspaces/${workspace}/members/${user}`, token },
    {
      verb: 'POST',
      path: `${auth}/refresh`,
      body: json({ refreshToken: dice.pick(['none', ...known.refreshTokens]) }),
    },
    { verb: 'GET', path: `${managePath}/users?perPage=${dice.pick([1, 2, 50])}`, ...managed },
    { verb: 'GET', path: `${managePath}/users/${user}`, ...managed },
    {
      verb: 'PATCH',
      path: `${managePath}/users/${user}`,
      ...managed,
      body: json({ disabled: dice.chance(50) }),
    },
    { verb: 'DELETE', path: `${managePath}/users/${user}`, ...managed },
    {
      verb: 'POST',
      path: members,
      ...managed,
      body: json({ user, role: dice.pick(['owner', 'member', 'x']) }),
    },
    { verb: 'POST', path: members, ...managed, body: json({ user, role: 'member' }) },
    { verb: 'GET', path: members, ...managed },
    { verb: 'DELETE', path: `${members}/${user}`, ...managed },
    { verb: 'GET', path: `${managePath}/workspaces`, ...managed },
    { verb: 'PATCH', path: `${managePath}/workspaces/${workspace}`, ...managed, body: json({ name }) },
    { verb: 'DELETE', path: `${managePath}/workspaces/${workspace}`, ...managed },
    { verb: 'GET', path: `${managePath}/keys`, ...managed },
    { verb: 'DELETE', path: `${managePath}/keys/${dice.pick(['none', ...known.keys])}`, ...managed },
    { verb: 'PATCH', path: managePath, token: 'admin', body: json({ auth: { registration: 'closed' } }) },
  ]);
}
