import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import type { Reply } from '../harness.ts';
import { resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';

const brands = { id: 'brands', fields: { name: { type: 'text' } }, api: { access: 'public' } } as const;
const things = {
  id: 'things',
  fields: {
    name: { type: 'text', unique: true },
    size: { type: 'number' },
    tags: { type: 'list', of: { type: 'text' } },
    brand: { type: 'relation', to: 'brands', kind: 'single' },
    also: { type: 'relation', to: 'brands', kind: 'multiple' },
  },
  api: { access: 'public' },
} as const;

describe('records that arrive together', () => {
  let app: PostgresApp;
  let brand: string;
  before(async () => {
    app = await startPostgresApp();
    await app.project('p', brands, things);
    brand = String(resultOf(await app.call('POST', '/v1/p/brands', { body: { name: 'a' } }), 201)._id);
  });
  after(() => app.close());

  const create = (body: Record<string, Json>): Promise<Reply> => app.call('POST', '/v1/p/things', { body });
  const list = async (query: string) => resultOf(await app.call('GET', `/v1/p/things?perPage=1000&${query}`));

  it('are all made, each once, in one order of creation, with all that belongs to them', async () => {
    const count = 700;
    const made = await Promise.all(
      Array.from({ length: count }, (_, size) =>
        create({
          ...{ name: `n${size} "quoted" \\ {}, NULL`, size, tags: [`t${size % 7}`, 'NULL', ''] },
          ...(size % 2 === 0 ? { brand, also: [brand] } : {}),
        }),
      ),
    );
    for (const reply of made) resultOf(reply, 201);
    const all = await list('sort=size');
    assert.equal(all.total, count);
    assert.deepEqual(
      all.found,
      made.map(({ body }) => body.result),
      'as they were answered',
    );
    const created = (await list('')).found as { _createdAt: string }[];
    const times = created.map(({ _createdAt }) => _createdAt);
    assert.deepEqual(times, [...times].sort());
    assert.equal((await list('tags=t3')).total, 100);
    assert.equal((await list(`brand=${brand}&also=${brand}`)).total, count / 2);
    assert.equal((await list('search=n699')).total, 1);
    assert.equal((await list('tags=NULL')).total, count);
  });

  it('are refused by themselves, in the words of one that comes alone', async () => {
    const bodies = Array.from({ length: 60 }, (_, at) => {
      if (at === 10) return { name: 'n1 "quoted" \\ {}, NULL' };
      if (at === 20) return { name: 'without a brand', brand: 'nobody', also: [brand, 'none'] };
      if (at === 30 || at === 31) return { name: 'twice' };
      return { name: `new ${at}` };
    });
    const replies = await Promise.all(bodies.map(create));
    const alone = [await create(bodies[10] ?? {}), await create(bodies[20] ?? {})];
    assert.deepEqual(
      [replies[10]?.text, replies[20]?.text],
      alone.map(({ text }) => text),
    );
    assert.deepEqual([replies[30]?.status, replies[31]?.status].sort(), [201, 409]);
    assert.equal(replies.filter(({ status }) => status === 201).length, 57);
    assert.equal((await list('search=new')).total, 56);
    const { total, found } = await list('');
    assert.equal(total, (found as unknown[]).length);
  });

  it('are one batch or none of it, with the place of the one that is refused', async () => {
    const before = (await list('')).total;
    const records = Array.from({ length: 100 }, (_, at) => ({ name: at === 50 ? 'twice' : `batch ${at}` }));
    const refused = await app.call('POST', '/v1/p/things/batch', { body: { create: records } });
    assert.equal(refused.status, 409);
    assert.match(refused.body.error, /^create\[50\]\.name: "twice" is already taken$/);
    assert.equal((await list('')).total, before);
    const good = records.filter(({ name }) => name !== 'twice');
    const { created } = resultOf(await app.call('POST', '/v1/p/things/batch', { body: { create: good } }));
    assert.deepEqual(
      (created as { name: string }[]).map(({ name }) => name),
      good.map(({ name }) => name),
    );
    assert.deepEqual(app.errors, []);
  });
});
