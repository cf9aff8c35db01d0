import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import type { WalkAnswer } from '../../src/store/plans.ts';
import { makePeople, type People, type SignedIn } from '../auth/people.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, definition, makeProject, pause, Records, resultOf } from '../support.ts';
import { exported, fill, parseCsv, viewAll, watched } from './support.ts';

describe('an export holds what its caller may see', () => {
  let app: TestApp;
  let people: People;
  let ann: SignedIn;
  let bob: SignedIn;
  before(async () => {
    app = await startApp();
    people = await makePeople(app);
    ann = await people.register('ann');
    bob = await people.register('bob');
    const team = await people.workspace(ann, 'team');
    ann = await people.switch(ann, team);
    await people.join(team, bob);
    for (const level of ['public', 'user', 'workspace']) {
      for (const [who, text] of [
        [ann, 'of ann'],
        [bob, 'of bob'],
      ] as const) {
        await people.records(
          'POST',
          level,
          { text },
          { token: level === 'workspace' ? ann.accessToken : who.accessToken },
        );
      }
    }
  });
  after(() => app.close());

  for (const level of ['public', 'user', 'workspace']) {
    it(`level ${level}: the records of View All for everybody who may have them`, async () => {
      const path = `/v1/shop/${level}`;
      const { key } = await people.key({ name: level });
      for (const token of [undefined, ann.accessToken, bob.accessToken, key, adminKey]) {
        const listed = await app.call('GET', path, { token });
        const file = await app.call('GET', `${path}/export?format=ndjson`, { token });
        assert.equal(file.status, listed.status);
        if (listed.status !== 200) assert.deepEqual(file.body, listed.body);
        else {
          const texts = file.text.split('\n').slice(0, -1);
          assert.deepEqual(
            texts.map((text) => JSON.parse(text)),
            await viewAll(app, path, '', { token }),
          );
        }
      }
    });
  }

  it('_owner and _workspace are there when they are named by somebody who may', async () => {
    const options = { token: bob.accessToken };
    const file = await exported(app, '/v1/shop/user', 'format=csv&fields=_owner,text,_workspace', options);
    const [header, row, ...rest] = parseCsv(file.toString());
    assert.deepEqual(header, ['_id', '_owner', 'text', '_workspace']);
    assert.deepEqual(row?.slice(1, 3), [bob.user._id, 'of bob']);
    assert.deepEqual(rest, []);
    const refused = await app.call('GET', '/v1/shop/public/export?format=csv&fields=_owner', options);
    assertRefused(refused, 400, '_owner');
  });

  it('switched off, it is not there but for the administrator', async () => {
    const base = await makeProject(app, {
      ...definition('closed', { text: { type: 'text' } }),
      api: { access: 'public', methods: { export: { enabled: false } } },
    });
    assertRefused(await app.call('GET', `${base}/closed/export?format=csv`), 404, 'export is switched off');
    assert.equal((await app.call('GET', `${base}/closed/export?format=csv`, asAdmin)).status, 200);
  });

  it('breaks off where its caller loses the right to the rest of it, however long it is read', async () => {
    const { workspace } = ann.user;
    const { accessToken: token } = await people.switch(bob, String(workspace));
    const create = Array.from({ length: 40 }, () => ({ text: 'one of many' }));
    for (const path of ['public/batch', 'user/batch', 'workspace/batch'])
      resultOf(await people.records('POST', path, { create }, { token }));
    const begin = async (path: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const url = `http://vitrine.test/v1/shop/${path}/export?format=ndjson&sort=${path === 'public' ? 'text' : '_createdAt'}`;
      const reader = (await app.fetch(new Request(url, { headers }))).body?.getReader();
      assert.ok(reader);
      for (const _ of ['the head', 'the first page']) assert.equal((await reader.read()).done, false);
      return async () => {
        while (!(await reader.read()).done);
      };
    };
    const [closed, left] = [await begin('public'), await begin('workspace')];
    const before = resultOf(await people.manage('GET', '/collections/public'));
    resultOf(
      await people.manage('PUT', '/collections/public', { ...before, api: { access: 'user' } } as JsonObject),
    );
    await assert.rejects(closed, /may not have the rest/);
    const own = await begin('user');
    resultOf(await people.manage('DELETE', `/workspaces/${workspace}/members/${bob.user._id}`));
    await pause(300);
    await assert.rejects(left, /may not have the rest/);
    await own(); // which is theirs in whatever workspace
  });
});

describe("an export that can't be", () => {
  let app: TestApp;
  let path: string;
  let total: number | undefined;
  let walk: ((answer: WalkAnswer) => WalkAnswer) | undefined;
  before(async () => {
    app = await startApp(
      watched((store) => ({
        list: async (plan) => ({ ...(await store.list(plan)), ...(total !== undefined && { total }) }),
        walk: async (plan) => (walk ?? ((answer) => answer))(await store.walk(plan)),
      })),
    );
    const fields = { title: { type: 'text' }, price: { type: 'number' } };
    const base = await makeProject(
      app,
      definition('items', fields),
      definition('boms', { bom: { type: 'boolean' } }),
    );
    path = `${base}/items`;
    await fill(
      app,
      path,
      Array.from({ length: 100 }, (_, n) => ({ title: `t${n}`, price: n })),
    );
    await new Records(app, `${base}/boms`).createAll([{ bom: true }, { bom: false }]);
  });
  after(() => app.close());

  const refusals: readonly (readonly [query: string, ...said: string[]])[] = [
    ['', 'format: is required', 'csv, xlsx, json, ndjson'],
    ['format=', 'format: must be one of csv, xlsx, json, ndjson'],
    ['format=pdf', "csv, xlsx, json, ndjson, not 'pdf'"],
    ['format=CSV', 'csv, xlsx, json, ndjson'],
    ['format=csv&format=json', 'format: is given more than once'],
    ['format=csv&page=1', 'page: is not for export'],
    ['format=csv&perPage=10', 'perPage: is not for export'],
    ['format=csv&after=', 'after: is not for export'],
    ['format=csv&include=brand', 'include: is not for export'],
    ['format=csv&bom=1', "bom: must be true or false, not '1'"],
    ['format=xlsx&bom=true', 'bom: goes with format=csv alone'],
    ['format=csv&titel=x', "did you mean 'title'"],
    ['format=csv&price=x', 'price'],
    ['format=csv&sort=prize', 'sort'],
    ['format=csv&fields=nope', 'fields'],
    ['page=1&fields=nope', 'format: is required', 'page: is not for export', 'nope'],
  ];
  for (const [query, ...said] of refusals) {
    it(`${query || 'without parameters'}: 400 in the envelope`, async () => {
      assertRefused(await app.call('GET', `${path}/export?${query}`), 400, ...said);
    });
  }

  it('a field with the name of a parameter that came later keeps its filter', async () => {
    const file = await exported(app, path.replace('items', 'boms'), 'format=csv&bom=true&fields=bom');
    assert.deepEqual(
      parseCsv(file.toString()).map(([, bom]) => bom),
      ['bom', 'true'],
    );
  });

  it('more records than a sheet has rows: a 400 that names csv, which has no such limit', async () => {
    total = 1_048_576;
    assertRefused(await app.call('GET', `${path}/export?format=xlsx`), 400, '1048575', '1048576', 'csv');
    assert.equal((await app.call('GET', `${path}/export?format=csv`)).status, 200);
    total = 1_048_575;
    assert.equal((await app.call('GET', `${path}/export?format=xlsx`)).status, 200);
    total = undefined;
  });

  it('fails before it begins: the envelope', async () => {
    walk = () => {
      throw new Error('the disk is gone');
    };
    const reply = await app.call('GET', `${path}/export?format=csv`);
    assertRefused(reply, 500);
    assert.doesNotMatch(reply.text, /disk/);
    walk = undefined;
  });

  it('fails on the way: the body breaks off, and the reason is logged', async () => {
    for (const format of ['csv', 'json', 'ndjson', 'xlsx']) {
      let pages = 0;
      walk = (answer) => {
        pages += 1;
        if (pages === 2) throw new Error(`the disk is gone for ${format}`);
        return answer;
      };
      const response = await app.fetch(new Request(`http://vitrine.test${path}/export?format=${format}`));
      assert.equal(response.status, 200);
      await assert.rejects(response.arrayBuffer());
      assert.match(String(app.errors.at(-1)), new RegExp(`the disk is gone for ${format}`));
    }
    walk = undefined;
  });

  it('the fields change on the way: the body breaks off rather than hold records of two kinds', async () => {
    const request = new Request(`http://vitrine.test${path}/export?format=ndjson`);
    const reader = (await app.fetch(request)).body?.getReader();
    assert.ok(reader);
    await reader.read();
    const url = `/v1/_admin/projects/${path.split('/')[2]}/collections/items`;
    const more = { title: { type: 'text' }, price: { type: 'number' }, added: { type: 'text' } };
    const changed = await app.call('PUT', url, { ...asAdmin, body: definition('items', more) });
    assert.equal(changed.status, 200, changed.text);
    await assert.rejects(async () => {
      while (!(await reader.read()).done);
    });
  });

  it('leaves out what does not match any more, in an order that is in no index too', async () => {
    const fields = {
      ...{ title: { type: 'text' }, tags: { type: 'list', of: { type: 'text' } } },
      ...{ status: { type: 'text', index: true }, n: { type: 'number' } },
    };
    const other = await makeProject(app, definition('posts', fields));
    const posts = new Records(app, `${other}/posts`);
    const create = Array.from({ length: 400 }, (_, n) => ({
      title: 'shown',
      tags: ['a'],
      status: 'live',
      n,
    }));
    assert.equal((await posts.call('POST', '/batch', { create })).status, 200);
    const narrowed = ['status=live', 'title!=hidden', 'tags=a', 'tags!=b', 'n>=0', 'search=shown'];
    const { found } = await posts.list('perPage=1000');
    const update = async (values: (n: number) => object) => {
      const body = { update: found.map(({ _id }, n) => ({ _id, ...values(n) })) } as never;
      assert.equal((await posts.call('POST', '/batch', body)).status, 200);
    };
    for (const sort of ['_createdAt', '-n']) {
      const begun = [];
      for (const query of [...narrowed, 'status=live&search=shown&tags=a']) {
        const request = new Request(
          `http://vitrine.test${posts.path}/export?format=ndjson&sort=${sort}&${query}`,
        );
        const reader = (await app.fetch(request)).body?.getReader();
        assert.ok(reader);
        await reader.read();
        begun.push({ query, reader });
      }
      await update(() => ({ title: 'hidden', tags: ['b'], status: 'draft', n: -1 }));
      for (const { query, reader } of begun) {
        let rest = '';
        for (let part = await reader.read(); !part.done; part = await reader.read())
          rest += new TextDecoder().decode(part.value);
        assert.doesNotMatch(rest, /hidden/, `${query} ${sort}`);
        assert.ok(rest.split('\n').length < create.length / 2, `${query} ${sort}: most are left out`);
      }
      await update((n) => create[n] ?? {});
    }
  });

  it('goes on when another collection is made on the way', async () => {
    const request = new Request(`http://vitrine.test${path}/export?format=ndjson`);
    const reader = (await app.fetch(request)).body?.getReader();
    assert.ok(reader);
    await reader.read();
    const project = path.split('/')[2];
    const url = `/v1/_admin/projects/${project}/collections`;
    const made = await app.call('POST', url, {
      ...asAdmin,
      body: definition('more', { a: { type: 'text' } }),
    });
    assert.equal(made.status, 201);
    let length = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) length += part.value.length;
    assert.ok(length > 0);
  });
});
