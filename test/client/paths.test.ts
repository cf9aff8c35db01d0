import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAdmin } from '../../client/admin.ts';
import { createClient } from '../../client/client.ts';

/** What each call sends, as the documentation of the server has it: verb, path, body. */
type Sent = readonly [verb: string, path: string, body?: object];

function watched() {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    const path = url.replace('http://s.test/v1', '');
    const body = init.body === undefined ? [] : [JSON.parse(String(init.body))];
    sent.push([init.method ?? '', path, ...body] as unknown as Sent);
    return Response.json({ ok: true, result: { _id: 'a' } });
  };
  return { sent, fetch };
}

async function check(sent: Sent[], calls: readonly (readonly [() => unknown, Sent])[]): Promise<void> {
  for (const [call, expected] of calls) {
    sent.length = 0;
    await call();
    assert.deepEqual(sent, [expected]);
  }
}

describe('each call sends', () => {
  it('half of an emoji as the character that stands for what is unknown', async () => {
    const { sent, fetch } = watched();
    const { things } = createClient('http://s.test', { project: 'p', fetch, token: 't' });
    const [half, unknown] = ['\ud83d', '%EF%BF%BD'];
    await check(sent, [
      [() => things?.list({ search: `tea ${half}` }), ['GET', `/p/things?search=tea%20${unknown}`]],
      [() => things?.list({ where: { title: half } }), ['GET', `/p/things?title=${unknown}`]],
      [() => things?.list({ where: { title: { '!=': half } } }), ['GET', `/p/things?title!%3D=${unknown}`]],
      [() => things?.view(half), ['GET', `/p/things/${unknown}`]],
    ]);
  });

  it('the same where a browser is too old for toWellFormed', async () => {
    const method = Object.getOwnPropertyDescriptor(String.prototype, 'toWellFormed') ?? {};
    Reflect.deleteProperty(String.prototype, 'toWellFormed');
    try {
      const { sent, fetch } = watched();
      const { things } = createClient('http://s.test', { project: 'p', fetch, token: 't' });
      await check(sent, [
        [() => things?.list({ search: 'tea 🍵' }), ['GET', '/p/things?search=tea%20%F0%9F%8D%B5']],
        [
          () => things?.list({ search: '\ud83d🍵\udf75\ud83d' }),
          ['GET', '/p/things?search=%EF%BF%BD%F0%9F%8D%B5%EF%BF%BD%EF%BF%BD'],
        ],
      ]);
    } finally {
      Object.defineProperty(String.prototype, 'toWellFormed', method);
    }
  });

  it('an operator that is part of a name as the server has it, so that it never means another one', async () => {
    const { sent, fetch } = watched();
    const { things } = createClient('http://s.test', { project: 'p', fetch, token: 't' });
    await check(sent, [
      [() => things?.list({ where: { price: { '>': 10 } } }), ['GET', '/p/things?price%3E10']],
      [() => things?.list({ where: { price: { '>=': 10 } } }), ['GET', '/p/things?price%3E%3D=10']],
      [() => things?.list({ where: { 'price>': 10 } }), ['GET', '/p/things?price%3E=10']],
      [() => things?.list({ where: { 'price<': 10 } }), ['GET', '/p/things?price%3C=10']],
    ]);
  });

  it('what accounts take', async () => {
    const { sent, fetch } = watched();
    const { auth } = createClient('http://s.test', { project: 'p', fetch, token: 't' });
    const { sessions, workspaces, invitations, totp, providers } = auth;
    const proof = { currentPassword: 'x' };
    await check(sent, [
      [
        () => auth.register({ email: 'e', password: 'x' }),
        ['POST', '/p/_auth/register', { email: 'e', password: 'x' }],
      ],
      [
        () => auth.login({ email: 'e', password: 'x' }),
        ['POST', '/p/_auth/login', { email: 'e', password: 'x' }],
      ],
      [
        () => auth.factor({ factorToken: 'f', code: '1' }),
        ['POST', '/p/_auth/login/totp', { factorToken: 'f', code: '1' }],
      ],
      [() => auth.switch('w'), ['POST', '/p/_auth/switch', { workspace: 'w' }]],
      [() => auth.me(), ['GET', '/p/_auth/me']],
      [() => auth.updateMe({ name: 'n' }), ['PATCH', '/p/_auth/me', { name: 'n' }]],
      [() => auth.deleteMe(proof), ['POST', '/p/_auth/me/delete', proof]],
      [() => auth.forgot('e'), ['POST', '/p/_auth/forgot', { email: 'e' }]],
      [
        () => auth.reset({ token: 't', password: 'x' }),
        ['POST', '/p/_auth/reset', { token: 't', password: 'x' }],
      ],
      [() => auth.sendVerification(), ['POST', '/p/_auth/verify/send', {}]],
      [() => auth.verify('t'), ['POST', '/p/_auth/verify', { token: 't' }]],
      [() => auth.rejectAddress('t'), ['POST', '/p/_auth/verify/reject', { token: 't' }]],
      [
        () => auth.changeEmail({ email: 'e', ...proof }),
        ['POST', '/p/_auth/email', { email: 'e', ...proof }],
      ],
      [() => auth.confirmEmail('t'), ['POST', '/p/_auth/email/confirm', { token: 't' }]],
      [() => auth.ticket(), ['POST', '/p/_auth/ticket', {}]],
      [() => sessions.list({ page: 2 }), ['GET', '/p/_auth/sessions?page=2']],
      [() => sessions.end('s/1'), ['DELETE', '/p/_auth/sessions/s%2F1']],
      [() => sessions.endOthers(), ['DELETE', '/p/_auth/sessions']],
      [() => workspaces.list(), ['GET', '/p/_auth/workspaces']],
      [() => workspaces.create({ name: 'n' }), ['POST', '/p/_auth/workspaces', { name: 'n' }]],
      [() => workspaces.update('w', { name: 'n' }), ['PATCH', '/p/_auth/workspaces/w', { name: 'n' }]],
      [() => workspaces.delete('w'), ['DELETE', '/p/_auth/workspaces/w']],
      [
        () => workspaces.delete('w', { confirm: 'destructive' }),
        ['DELETE', '/p/_auth/workspaces/w?confirm=destructive'],
      ],
      [() => workspaces.members('w'), ['GET', '/p/_auth/workspaces/w/members']],
      [
        () => workspaces.setRole('w', 'u', 'owner'),
        ['PATCH', '/p/_auth/workspaces/w/members/u', { role: 'owner' }],
      ],
      [() => workspaces.removeMember('w', 'u'), ['DELETE', '/p/_auth/workspaces/w/members/u']],
      [
        () => workspaces.invite('w', { email: 'e' }),
        ['POST', '/p/_auth/workspaces/w/invitations', { email: 'e' }],
      ],
      [() => workspaces.invitations('w'), ['GET', '/p/_auth/workspaces/w/invitations']],
      [() => workspaces.withdraw('w', 'i'), ['DELETE', '/p/_auth/workspaces/w/invitations/i']],
      [() => invitations.list(), ['GET', '/p/_auth/invitations']],
      [() => invitations.accept('i', 't'), ['POST', '/p/_auth/invitations/i/accept', { token: 't' }]],
      [() => invitations.accept('i'), ['POST', '/p/_auth/invitations/i/accept', {}]],
      [() => invitations.decline('i'), ['POST', '/p/_auth/invitations/i/decline', {}]],
      [() => totp.start(), ['POST', '/p/_auth/totp', {}]],
      [() => totp.confirm('1'), ['POST', '/p/_auth/totp/confirm', { code: '1' }]],
      [() => totp.disable({ ...proof, code: '1' }), ['DELETE', '/p/_auth/totp', { ...proof, code: '1' }]],
      [() => providers.list(), ['GET', '/p/_auth/providers']],
      [
        () => providers.exchange({ code: 'c', verifier: 'v' }),
        ['POST', '/p/_auth/exchange', { code: 'c', verifier: 'v' }],
      ],
      [() => auth.identities.list(), ['GET', '/p/_auth/identities']],
      [() => auth.identities.remove('i'), ['DELETE', '/p/_auth/identities/i']],
      [
        () => auth.identities.link('o', { redirect: 'r', challenge: 'c' }),
        ['POST', '/p/_auth/oidc/o', { redirect: 'r', challenge: 'c' }],
      ],
    ]);
    assert.equal(
      providers.address('google', { redirect: 'https://app.example/in', challenge: 'c' }),
      'http://s.test/v1/p/_auth/oidc/google?redirect=https%3A%2F%2Fapp.example%2Fin&challenge=c',
    );
  });

  it('what management takes', async () => {
    const { sent, fetch } = watched();
    const admin = createAdmin('http://s.test/', { fetch, token: 't' });
    const { administrators, projects, backups } = admin;
    const { collections, users, workspaces, keys, webhooks, ...project } = admin.project('p');
    const hook = { name: 'n', url: 'https://x.example', collections: ['c'], kinds: ['create'] };
    const to = '/_admin/projects/p';
    await check(sent, [
      [
        () => admin.login({ email: 'e', password: 'x' }),
        ['POST', '/_admin/login', { email: 'e', password: 'x' }],
      ],
      [
        () => admin.factor({ factorToken: 'f', code: '1' }),
        ['POST', '/_admin/login/totp', { factorToken: 'f', code: '1' }],
      ],
      [
        () => admin.setup({ token: 't', email: 'e', password: 'x' }),
        ['POST', '/_admin/setup', { token: 't', email: 'e', password: 'x' }],
      ],
      [() => admin.me(), ['GET', '/_admin/me']],
      [() => admin.logout(), ['POST', '/_admin/logout', {}]],
      [() => admin.ticket('/x'), ['POST', '/_admin/ticket', { path: '/x' }]],
      [() => admin.totp.start(), ['POST', '/_admin/totp', {}]],
      [() => admin.totp.confirm('1'), ['POST', '/_admin/totp/confirm', { code: '1' }]],
      [
        () => admin.totp.disable({ currentPassword: 'x', code: '1' }),
        ['DELETE', '/_admin/totp', { currentPassword: 'x', code: '1' }],
      ],
      [() => administrators.list(), ['GET', '/_admin/administrators']],
      [() => administrators.create({ email: 'e' }), ['POST', '/_admin/administrators', { email: 'e' }]],
      [() => administrators.invitations({ page: 2 }), ['GET', '/_admin/administrators/invitations?page=2']],
      [() => administrators.withdraw('a'), ['DELETE', '/_admin/administrators/invitations/a']],
      [() => administrators.delete('a'), ['DELETE', '/_admin/administrators/a']],
      [() => projects.list({ perPage: 5 }), ['GET', '/_admin/projects?perPage=5']],
      [() => projects.view('p'), ['GET', to]],
      [() => projects.create({ id: 'p' }), ['POST', '/_admin/projects', { id: 'p' }]],
      [() => projects.update('p', { name: 'n' }), ['PATCH', to, { name: 'n' }]],
      [() => projects.delete('p', { confirm: 'destructive' }), ['DELETE', `${to}?confirm=destructive`]],
      [() => backups.list(), ['GET', '/_admin/backups']],
      [() => backups.view('b'), ['GET', '/_admin/backups/b']],
      [() => backups.delete('b'), ['DELETE', '/_admin/backups/b']],
      [() => backups.file('b'), ['GET', '/_admin/backups/b/file']],
      [() => backups.restore('b', { as: 'q' }), ['POST', '/_admin/backups/b/restore', { as: 'q' }]],
      [() => admin.audit({ project: 'p', action: 'x' }), ['GET', '/_admin/audit?project=p&action=x']],
      [() => admin.audit({ after: '', perPage: 5 }), ['GET', '/_admin/audit?after=&perPage=5']],
      [() => collections.list(), ['GET', `${to}/collections`]],
      [() => collections.view('c'), ['GET', `${to}/collections/c`]],
      [() => collections.create({ id: 'c' }), ['POST', `${to}/collections`, { id: 'c' }]],
      [() => collections.change('c', { fields: {} }), ['PUT', `${to}/collections/c`, { fields: {} }]],
      [
        () => collections.change('c', { fields: {} }, { confirm: 'destructive' }),
        ['PUT', `${to}/collections/c?confirm=destructive`, { fields: {} }],
      ],
      [
        () => collections.plan('c', { fields: {} }),
        ['PUT', `${to}/collections/c?dryRun=true`, { fields: {} }],
      ],
      [
        () => collections.delete('c', { confirm: 'destructive' }),
        ['DELETE', `${to}/collections/c?confirm=destructive`],
      ],
      [() => collections.stats('c'), ['GET', `${to}/collections/c/stats`]],
      [() => users.list({ search: 'a b', email: 'e' }), ['GET', `${to}/users?search=a%20b&email=e`]],
      [() => users.view('u'), ['GET', `${to}/users/u`]],
      [
        () => users.create({ email: 'e', password: 'x' }),
        ['POST', `${to}/users`, { email: 'e', password: 'x' }],
      ],
      [() => users.update('u', { disabled: true }), ['PATCH', `${to}/users/u`, { disabled: true }]],
      [() => users.delete('u'), ['DELETE', `${to}/users/u`]],
      [() => users.endSessions('u'), ['DELETE', `${to}/users/u/sessions`]],
      [
        () => users.impersonate('u', { minutes: 5, reason: 'r' }),
        ['POST', `${to}/users/u/impersonate`, { minutes: 5, reason: 'r' }],
      ],
      [() => workspaces.list(), ['GET', `${to}/workspaces`]],
      [() => workspaces.view('w'), ['GET', `${to}/workspaces/w`]],
      [() => workspaces.create({ name: 'n' }), ['POST', `${to}/workspaces`, { name: 'n' }]],
      [() => workspaces.update('w', { name: 'n' }), ['PATCH', `${to}/workspaces/w`, { name: 'n' }]],
      [() => workspaces.delete('w'), ['DELETE', `${to}/workspaces/w`]],
      [() => workspaces.members('w', { page: 2 }), ['GET', `${to}/workspaces/w/members?page=2`]],
      [() => workspaces.addMember('w', { user: 'u' }), ['POST', `${to}/workspaces/w/members`, { user: 'u' }]],
      [() => workspaces.removeMember('w', 'u'), ['DELETE', `${to}/workspaces/w/members/u`]],
      [() => keys.list(), ['GET', `${to}/keys`]],
      [
        () => keys.create({ name: 'n', access: 'read' }),
        ['POST', `${to}/keys`, { name: 'n', access: 'read' }],
      ],
      [() => keys.delete('k'), ['DELETE', `${to}/keys/k`]],
      [() => webhooks.create(hook), ['POST', `${to}/webhooks`, hook]],
      [() => webhooks.update('h', { paused: false }), ['PATCH', `${to}/webhooks/h`, { paused: false }]],
      [() => webhooks.rotate('h'), ['POST', `${to}/webhooks/h/rotate`, {}]],
      [() => webhooks.test('h'), ['POST', `${to}/webhooks/h/test`, {}]],
      [() => webhooks.deliveries('h'), ['GET', `${to}/webhooks/h/deliveries`]],
      [() => webhooks.replay('h', { after: 'x' }), ['POST', `${to}/webhooks/h/replay`, { after: 'x' }]],
      [() => project.backup(), ['POST', `${to}/backups`, {}]],
      [
        () => project.explain({ caller: { user: 'u' }, collection: 'c', method: 'view' }),
        ['POST', `${to}/explain`, { caller: { user: 'u' }, collection: 'c', method: 'view' }],
      ],
      [() => admin.records('p').collection('c').view('x'), ['GET', '/p/c/x']],
    ]);
  });
});
