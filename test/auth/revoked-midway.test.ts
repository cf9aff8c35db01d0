import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import { type Reply, startApp, type TestApp } from '../harness.ts';
import { asAdmin, resultOf } from '../support.ts';
import { makePeople, type People, type SignedIn } from './people.ts';

let app: TestApp;
let people: People;
let root: string;
before(async () => {
  app = await startApp();
  people = await makePeople(app);
  root = `/v1/${people.project}`;
});
after(() => app.close());

interface Sending {
  readonly verb: string;
  readonly path: string;
  readonly body: Json;
}

/** The head and one byte of the body, then `meanwhile`, then the rest. */
async function sendSlowly(
  token: string,
  { verb, path, body }: Sending,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  let rest: () => void = () => {};
  let asked: () => void = () => {};
  const isRead = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.slice(0, 1));
      rest = () => {
        controller.enqueue(bytes.slice(1));
        controller.close();
      };
    },
    // The first byte was taken.
    pull: () => asked(),
  });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const init = { method: verb, headers, body: stream, duplex: 'half' };
  const answered = app.fetch(new Request(`http://vitrine.test${path}`, init as RequestInit));
  // The body is read once it is known who sends it.
  await Promise.race([isRead, answered]);
  await meanwhile();
  rest();
  const response = await answered;
  await response.text();
  return response.status;
}

let made = 0;

interface Member {
  readonly signedIn: SignedIn;
  readonly workspace: string;
  readonly id: string;
}

/** A user who owns a workspace, which is their current one, with another owner in it. */
async function makeMember(): Promise<Member> {
  made += 1;
  const name = `member${made}`;
  const first = await people.register(name);
  const workspace = await people.workspace(first, name);
  const other = await people.register(`${name}-other`);
  resultOf(
    await people.manage('POST', `/workspaces/${workspace}/members`, { user: other.user._id, role: 'owner' }),
    201,
  );
  const signedIn = await people.login(name);
  return { signedIn, workspace, id: signedIn.user._id };
}

async function makeKey(): Promise<{ key: string; id: string }> {
  made += 1;
  const { key, _id } = resultOf(await people.manage('POST', '/keys', { name: `key${made}` }), 201);
  return { key: String(key), id: String(_id) };
}

const levels = ['public', 'user', 'workspace'];
const level = () => levels[made % 3] ?? 'public';

/** Every way to write records with a body. */
const recordWrites: Readonly<Record<string, (token: string) => Promise<Sending>>> = {
  Create: async () => ({ verb: 'POST', path: `${root}/${level()}`, body: { text: 'x' } }),
  async Update(token) {
    const path = `${root}/${level()}`;
    const { _id } = resultOf(await app.call('POST', path, { token, body: { text: 'x' } }), 201);
    return { verb: 'PATCH', path: `${path}/${_id}`, body: { text: 'y' } };
  },
  batch: async () => ({
    verb: 'POST',
    path: `${root}/${level()}/batch`,
    body: { create: [{ text: 'x' }, { text: 'y' }] },
  }),
  async 'batch of several kinds'(token) {
    const path = `${root}/${level()}`;
    const { _id } = resultOf(await app.call('POST', path, { token, body: { text: 'x' } }), 201);
    const body = { create: [{ text: 'x' }], update: [{ _id: String(_id), text: 'z' }] };
    return { verb: 'POST', path: `${path}/batch`, body };
  },
};

const revocations: Readonly<Record<string, (member: Member) => Promise<Reply>>> = {
  'the user is disabled': ({ id }) => people.manage('PATCH', `/users/${id}`, { disabled: true }),
  'the user is deleted': ({ id }) => people.manage('DELETE', `/users/${id}`),
  'they sign out': ({ signedIn }) => people.auth('POST', 'logout', { refreshToken: signedIn.refreshToken }),
  'they are removed from their workspace': ({ workspace, id }) =>
    people.manage('DELETE', `/workspaces/${workspace}/members/${id}`),
};

describe('rights that are taken away while the body of a request is on its way', () => {
  for (const [write, sending] of Object.entries(recordWrites)) {
    for (const [what, revoke] of Object.entries(revocations)) {
      it(`${write} by a user: ${what}, and it is refused`, async () => {
        const member = await makeMember();
        const token = member.signedIn.accessToken;
        const status = await sendSlowly(token, await sending(token), async () => {
          assert.equal((await revoke(member)).status, 200);
        });
        assert.ok([401, 403].includes(status), String(status));
      });
    }
    it(`${write} by a key that is deleted is refused`, async () => {
      const { key, id } = await makeKey();
      const status = await sendSlowly(key, await sending(key), () => people.manage('DELETE', `/keys/${id}`));
      assert.equal(status, 401);
    });
    it(`${write} goes on where nothing is taken away`, async () => {
      const { signedIn } = await makeMember();
      const status = await sendSlowly(
        signedIn.accessToken,
        await sending(signedIn.accessToken),
        async () => {},
      );
      assert.ok([200, 201].includes(status), String(status));
    });
  }

  it('several writes at once by callers who lose their rights and others: only theirs are refused', async () => {
    const members = await Promise.all(Array.from({ length: 6 }, () => makeMember()));
    const statuses = await Promise.all(
      members.map(({ signedIn, id }, index) => {
        const sending = { verb: 'POST', path: `${root}/public`, body: { text: 'together' } };
        return sendSlowly(signedIn.accessToken, sending, async () => {
          if (index % 2 === 0) await people.manage('PATCH', `/users/${id}`, { disabled: true });
        });
      }),
    );
    assert.deepEqual(statuses, [401, 201, 401, 201, 401, 201]);
  });

  it('nothing of what was refused is there, counted or not', async () => {
    for (const name of levels) {
      const list = `${root}/${name}?perPage=1000&fields=_owner`;
      const earlier = resultOf(await app.call('GET', list, asAdmin));
      const { signedIn, id } = await makeMember();
      const body = { create: Array.from({ length: 20 }, () => ({ text: 'refused' })) };
      const sending = { verb: 'POST', path: `${root}/${name}/batch`, body };
      const status = await sendSlowly(signedIn.accessToken, sending, () =>
        people.manage('PATCH', `/users/${id}`, { disabled: true }),
      );
      assert.equal(status, 401);
      const { total, found } = resultOf(await app.call('GET', list, asAdmin));
      assert.equal(total, earlier.total);
      assert.equal((found as unknown[]).length, total);
    }
  });

  it('an owner who is removed does not make himself owner again', async () => {
    const { signedIn, workspace, id } = await makeMember();
    const path = `${root}/_auth/workspaces/${workspace}/invitations`;
    const body = { email: signedIn.user.email, role: 'owner' };
    const status = await sendSlowly(signedIn.accessToken, { verb: 'POST', path, body }, () =>
      people.manage('DELETE', `/workspaces/${workspace}/members/${id}`),
    );
    assert.ok([403, 404].includes(status), String(status));
    const invitations = await people.auth('GET', 'invitations', undefined, { token: signedIn.accessToken });
    assert.equal(resultOf(invitations).total, 0);
    const { total } = resultOf(await people.manage('GET', `/workspaces/${workspace}/members`));
    assert.equal(total, 1);
  });

  it('a user who is disabled makes no workspace and changes no name', async () => {
    for (const [verb, path] of [
      ['POST', 'workspaces'],
      ['PATCH', 'me'],
    ] as const) {
      const member = await makeMember();
      const sending = { verb, path: `${root}/_auth/${path}`, body: { name: 'mine' } };
      const status = await sendSlowly(member.signedIn.accessToken, sending, () =>
        people.manage('PATCH', `/users/${member.id}`, { disabled: true }),
      );
      assert.equal(status, 401, path);
    }
  });

  it('a key that is deleted manages no users and no workspaces', async () => {
    const admin = `/v1/_admin/projects/${people.project}`;
    const { id } = await makeMember();
    const sendings = [
      {
        verb: 'POST',
        path: `${admin}/users`,
        body: { email: 'late@example.com', password: 'correct horse' },
      },
      { verb: 'PATCH', path: `${admin}/users/${id}`, body: { name: 'late' } },
      { verb: 'POST', path: `${admin}/workspaces`, body: { name: 'late' } },
    ];
    for (const sending of sendings) {
      const key = await makeKey();
      const status = await sendSlowly(key.key, sending, () => people.manage('DELETE', `/keys/${key.id}`));
      assert.equal(status, 401, sending.path);
    }
    const { total } = resultOf(await people.manage('GET', '/users?email=late@example.com'));
    assert.equal(total, 0);
  });
});
