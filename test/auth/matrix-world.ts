import type { JsonObject } from '../../src/model/json.ts';
import { adminKey, type CallOptions } from '../harness.ts';
import { testEngine } from '../storage.ts';
import { resultOf } from '../support.ts';
import { forgeries, signingKeyOf } from './forge.ts';
import {
  type Clock,
  makeAdministrator,
  makePeople,
  minute,
  People,
  type Place,
  password,
  second,
} from './people.ts';

/** What the contract says a caller is, whatever they send. */
export type Who =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'user'; readonly user: string; readonly workspace: string | null }
  | { readonly kind: 'everything' }
  /** Everything to look at, nothing to change. */
  | { readonly kind: 'reader' }
  | { readonly kind: 'refused'; readonly status: 401 | 403 };

export interface Holder {
  readonly owner: string | null;
  readonly workspace: string | null;
}

export interface World {
  readonly people: People;
  readonly callers: ReadonlyMap<string, { readonly who: Who; readonly sends: CallOptions }>;
  /** Whose the records of every collection are; the key is the record's `tag`. */
  readonly holders: Readonly<Record<string, Holder>>;
}

const refused401: Who = { kind: 'refused', status: 401 };
const refused403: Who = { kind: 'refused', status: 403 };

export async function makeWorld({ app, storage }: Place, clock: Clock): Promise<World> {
  const people = await makePeople(app);
  await app.project('other');
  const other = new People(app, 'other');
  await people.register('ann');
  const expired = await people.login('ann');
  const ended = await people.key({ expiresAt: new Date(clock.now() + minute).toISOString() });
  clock.move(15 * minute + second);

  const first = await people.login('ann');
  const [north, south] = [await people.workspace(first, 'North'), await people.workspace(first, 'South')];
  const ann = await people.login('ann');
  const annInSouth = await people.switch(ann, south);
  for (const [name, workspace] of Object.entries({ ben: north, cid: south, fay: north, gus: north })) {
    await people.join(workspace, await people.register(name));
  }
  const [ben, cid, dan] = [
    await people.login('ben'),
    await people.login('cid'),
    await people.register('dan'),
  ];
  const removed = await people.login('fay');
  resultOf(await people.manage('DELETE', `/workspaces/${north}/members/${removed.user._id}`));
  const disabled = await people.login('gus');
  resultOf(await people.manage('PATCH', `/users/${disabled.user._id}`, { disabled: true }));
  const left = await people.login('ann');
  resultOf(await people.auth('POST', 'logout', { refreshToken: left.refreshToken }));
  const revoked = await people.key();
  resultOf(await people.manage('DELETE', `/keys/${revoked._id}`));
  await makeAdministrator(storage, 'root@example.com', password);
  const admin = resultOf(
    await app.call('POST', '/v1/_admin/login', { body: { email: 'root@example.com', password } }),
  );
  const forged = await forgeries(ann.accessToken, await signingKeyOf(storage, 'shop'), {
    user: cid.user._id,
    project: 'other',
  });

  const acting = resultOf(
    await people.manage('POST', `/users/${ann.user._id}/impersonate`, {
      ...{ minutes: 60, reason: 'the matrix', workspace: north },
    }),
  );

  const user = (id: string, workspace: string | null): Who => ({ kind: 'user', user: id, workspace });
  const tokens: Record<string, [Who, string]> = {
    owner: [user(ann.user._id, north), ann.accessToken],
    'owner, with another current workspace': [user(ann.user._id, south), annInSouth.accessToken],
    'an administrator who acts for the owner': [user(ann.user._id, north), String(acting.accessToken)],
    'another user of the same workspace': [user(ben.user._id, north), ben.accessToken],
    'another user of another workspace': [user(cid.user._id, south), cid.accessToken],
    'user without a workspace': [user(dan.user._id, null), dan.accessToken],
    'user who was removed from the workspace': [user(removed.user._id, null), removed.accessToken],
    'server key': [{ kind: 'everything' }, (await people.key()).key],
    'server key that only reads': [{ kind: 'reader' }, (await people.key({ access: 'read' })).key],
    'server key that has expired': [refused401, ended.key],
    'administrator key': [{ kind: 'everything' }, adminKey],
    'administrator session': [{ kind: 'everything' }, String(admin.accessToken)],
    "another project's server key": [refused403, (await other.key()).key],
    "another project's user": [refused403, (await other.register('ann')).accessToken],
    'revoked server key': [refused401, revoked.key],
    'server key of a project that does not exist': [refused401, `vk_none_${'x'.repeat(43)}`],
    'disabled user': [refused401, disabled.accessToken],
    'signed-out user': [refused401, left.accessToken],
    'expired token': [refused401, expired.accessToken],
    'refresh token': [refused401, ann.refreshToken],
    'administrator key and more': [refused401, `${adminKey}x`],
    ...Object.fromEntries(
      Object.entries(forged).map(([name, token]): [string, [Who, string]] => [name, [refused401, token]]),
    ),
  };
  const headers: Record<string, string> = {
    'no token in the header': 'Bearer',
    'two tokens in the header': `Bearer ${ann.accessToken} ${ann.accessToken}`,
    'a list in the header': `Bearer ${ann.accessToken}, Bearer ${ann.accessToken}`,
    'another scheme': `Basic ${Buffer.from(`ann@example.com:${password}`).toString('base64')}`,
    'no scheme': ann.accessToken,
  };
  const callers: [string, { who: Who; sends: CallOptions }][] = [
    ['nobody', { who: { kind: 'nobody' }, sends: {} }],
    ...Object.entries(tokens).map(([name, [who, token]]): [string, { who: Who; sends: CallOptions }] => {
      return [name, { who, sends: { token } }];
    }),
    ...Object.entries(headers).map(([name, authorization]): [string, { who: Who; sends: CallOptions }] => {
      return [name, { who: refused401, sends: { headers: { authorization } } }];
    }),
  ];
  const holders = {
    ann_north: { owner: ann.user._id, workspace: north },
    ann_south: { owner: ann.user._id, workspace: south },
    ben_north: { owner: ben.user._id, workspace: north },
    cid_south: { owner: cid.user._id, workspace: south },
    dan: { owner: dan.user._id, workspace: null },
    north: { owner: null, workspace: north },
    nobody: { owner: null, workspace: null },
  };
  return { people, callers: new Map(callers), holders };
}

export type Level = 'public' | 'user' | 'workspace';
export const methods = ['viewAll', 'view', 'create', 'update', 'delete', 'distinct'] as const;
export type Method = (typeof methods)[number];

/** One way to set the levels of a collection. */
export interface Setting {
  readonly id: string;
  readonly sentence: string;
  readonly definition: JsonObject;
  readonly level: Readonly<Record<Method, Level>>;
}

const levels: readonly Level[] = ['public', 'user', 'workspace'];

/** On PostgreSQL, where it is a matter of a minute, those in which each method still has two levels. */
const turns = testEngine === 'postgres' ? [0, 2] : [0, 1, 2, 3];

/** Each collection level alone; then over it every level and `inherit` for each method, beside other ones. */
export function makeSettings(): Setting[] {
  return levels.flatMap((access) => [
    setting(`plain-${access}`, access, {}),
    ...turns.map((turn) => {
      const stated = ['public', 'user', 'workspace', 'inherit'];
      const own = methods.map((method, at) => [method, stated[(at + turn) % 4] ?? '']);
      return setting(`turn${turn}-${access}`, access, Object.fromEntries(own));
    }),
  ]);
}

function setting(id: string, access: Level, own: Record<string, string>): Setting {
  const level = methods.map((method) => {
    const stated = own[method] ?? 'inherit';
    return [method, stated === 'inherit' ? access : stated];
  });
  const fields = { tag: { type: 'text' }, note: { type: 'text' } };
  const stated = Object.entries(own).map(([method, value]) => [method, { access: value }]);
  const list = Object.entries(own).map(([method, value]) => `${method} ${value}`);
  return {
    id,
    sentence: `collection ${access}${list.length > 0 ? `, ${list.join(', ')}` : ''}`,
    definition: { id, fields, api: { access, methods: Object.fromEntries(stated) } },
    level: Object.fromEntries(level) as Record<Method, Level>,
  };
}
