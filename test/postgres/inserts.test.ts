import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import type { Reply } from '../harness.ts';
import { patientTimes } from '../storage.ts';
import { asAdmin, pause, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { rowsOf, schemaOf, until, whileHeld } from './nodes.ts';

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

  it('do not wait for those that came before, where these wait for somebody', async () => {
    const table = `${await schemaOf(app.url)}.r1`;
    const lock = `SELECT 1 FROM ${table} WHERE id = '${brand}' FOR UPDATE`;
    const patient = await startPostgresApp({ url: app.url, ...patientTimes });
    const create = (body: Record<string, Json>) => patient.call('POST', '/v1/p/things', { body });
    const first = await whileHeld(app.url, lock, async () => {
      const held = Array.from({ length: 5 }, (_, at) => create({ name: `held ${at}`, brand }));
      const waits = `SELECT 1 FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE '%${table}%FOR KEY SHARE%'`;
      await until('they wait', async () => (await rowsOf(app.url, waits)).length > 0, 10_000);
      for (const count of [40, 3]) {
        const others = Array.from({ length: count }, (_, at) => create({ name: `beside ${count} ${at}` }));
        for (const reply of await Promise.all(others)) resultOf(reply, 201);
      }
      return held;
    });
    for (const reply of await Promise.all(first)) resultOf(reply, 201);
    await patient.close();
    assert.equal((await list('search=held')).total, 5);
    const names = ((await list('search=beside')).found as { name: string }[]).map(({ name }) => name);
    assert.equal(new Set(names).size, 43);
  });

  it('are saved where one of them waits for somebody in vain', async () => {
    const lock = `SELECT 1 FROM ${await schemaOf(app.url)}.r1 WHERE id = '${brand}' FOR UPDATE`;
    const replies = await whileHeld(app.url, lock, () =>
      Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          create({ name: `with ${at}`, ...(at === 50 ? { brand } : {}) }),
        ),
      ),
    );
    assert.deepEqual(
      replies.flatMap(({ status }, at) => (status === 201 ? [] : [[at, status]])),
      [[50, 503]],
    );
    assert.equal((await list('search=with%20')).total, 99);
  });

  it('are written in the order of their unique values, so that no two nodes wait for each other in a circle', async () => {
    const table = `${await schemaOf(app.url)}.r2`;
    for (const statement of [
      'CREATE TABLE public.written (n bigserial, transaction text, name text)',
      `CREATE FUNCTION public.note_written() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
        INSERT INTO public.written (transaction, name) VALUES (pg_current_xact_id()::text, NEW.f1);
        RETURN NEW;
      END'`,
      `CREATE TRIGGER written BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION public.note_written()`,
    ])
      await rowsOf(app.url, statement);
    const names = Array.from({ length: 60 }, (_, at) => `ordered ${String((at * 37) % 60).padStart(2, '0')}`);
    for (const reply of await Promise.all(names.map((name) => create({ name })))) resultOf(reply, 201);
    await rowsOf(app.url, `DROP TRIGGER written ON ${table}`);
    const rows = await rowsOf(app.url, 'SELECT transaction, name FROM public.written ORDER BY n');
    const groups = [...Map.groupBy(rows, ([transaction]) => transaction).values()];
    assert.ok(groups.some((group) => group.length >= 10));
    for (const group of groups) {
      const written = group.map(([, name]) => String(name));
      assert.deepEqual(written, written.toSorted());
    }
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

describe('records of a collection that several nodes write', () => {
  let here: PostgresApp;
  let there: PostgresApp;
  let brand: string;
  let first: string;
  before(async () => {
    here = await startPostgresApp(patientTimes);
    there = await startPostgresApp({ url: here.url, ...patientTimes });
    await here.project('p', brands, things);
    const made = async (path: string) =>
      String(resultOf(await here.call('POST', `/v1/p/${path}`, { body: { name: 'a' } }), 201)._id);
    brand = await made('brands');
    first = await made('things');
  });
  after(async () => {
    await there.close();
    await here.close();
  });

  const names = async (app: PostgresApp) => {
    const { total, found } = resultOf(await app.call('GET', '/v1/p/things?perPage=1000'));
    const rows = found as { name: string; _createdAt: string }[];
    assert.equal(total, rows.length);
    assert.deepEqual(
      rows.map(({ _createdAt }) => _createdAt),
      rows.map(({ _createdAt }) => _createdAt).sort(),
      'in the order of their creation',
    );
    return rows.map(({ name }) => name);
  };

  for (const [what, path, body] of [
    ['a batch', '/batch', { create: [{ name: 'b1' }, { name: 'b2', brand: '' }] }],
    [
      'a batch with changes',
      '/batch',
      { create: [{ name: 'c1', brand: '' }], update: [{ _id: 'first', size: 1 }] },
    ],
    ['a creation', '', { name: 'one', brand: '' }],
  ] as const) {
    it(`do not wait for ${what} that is not committed`, async () => {
      const text = JSON.stringify(body)
        .replace('"brand":""', `"brand":"${brand}"`)
        .replace('"_id":"first"', `"_id":"${first}"`);
      const schema = await schemaOf(here.url);
      const before = await names(there);
      // What refers to the record waits for whoever has it locked, with all else that it has done.
      const lock = `SELECT 1 FROM ${schema}.r1 WHERE id = '${brand}' FOR UPDATE`;
      const waiting = await whileHeld(here.url, lock, async () => {
        const begun = here.call('POST', `/v1/p/things${path}`, { body: JSON.parse(text) });
        const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}.r1%'`;
        await until('it waits', async () => (await rowsOf(here.url, waits)).length > 0, 10_000);
        resultOf(await there.call('POST', '/v1/p/things', { body: { name: `${what} 1` } }), 201);
        const create = [{ name: `${what} 2` }];
        resultOf(await there.call('POST', '/v1/p/things/batch', { body: { create } }));
        assert.deepEqual(await names(there), [...before, `${what} 1`, `${what} 2`]);
        return { begun };
      });
      assert.ok((await waiting.begun).status < 300);
      const made = [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
      assert.deepEqual(await names(here), [...before, ...made, `${what} 1`, `${what} 2`]);
    });
  }

  it('are counted, each once, and have one order, whoever writes them and whatever is undone', async () => {
    const before = (await names(here)).length;
    const write = async (at: number) => {
      const app = at % 2 === 0 ? here : there;
      if (at % 5 === 4) {
        const create = [{ name: `m${at} a` }, { name: at % 10 === 4 ? `m${at} a` : `m${at} b` }];
        return (await app.call('POST', '/v1/p/things/batch', { body: { create } })).status === 200 ? 2 : 0;
      }
      const reply = await app.call('POST', '/v1/p/things', { body: { name: `m${at}` } });
      const { _id } = resultOf(reply, 201);
      if (at % 7 !== 0) return 1;
      resultOf(await app.call('DELETE', `/v1/p/things/${_id}`));
      return 0;
    };
    const written = await Promise.all(Array.from({ length: 150 }, (_, at) => write(at)));
    const made = written.reduce<number>((sum, one) => sum + one, 0);
    for (const app of [here, there]) assert.equal((await names(app)).length, before + made);
    const [row] = await rowsOf(here.url, `SELECT count(*) FROM ${await schemaOf(here.url)}.touches`);
    assert.ok(Number(row?.[0]) <= 20, `${row?.[0]} rows, of ten connections and two collections`);
    assert.deepEqual([...here.errors, ...there.errors], []);
  });

  it('get an answer each where they cross those of another node by a second unique field', async () => {
    const twice = {
      id: 'twice',
      fields: { name: { type: 'text', unique: true }, code: { type: 'text', unique: true } },
      api: { access: 'public' },
    } as const;
    resultOf(await here.call('POST', '/v1/_admin/projects/p/collections', { ...asAdmin, body: twice }), 201);
    const table = `${await schemaOf(here.url)}.r3`;
    for (const statement of [
      `CREATE FUNCTION public.slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.005); RETURN NEW; END'`,
      `CREATE TRIGGER slowly BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION public.slowly()`,
    ])
      await rowsOf(here.url, statement);
    const sent: Promise<{ code: string; status: number }>[] = [];
    let busy = 0;
    const send = async (app: PostgresApp, code: string): Promise<{ code: string; status: number }> => {
      const body = { name: crypto.randomUUID(), code };
      const { status } = await app.call('POST', '/v1/p/twice', { body });
      if (status !== 503) return { code, status };
      // A machine that stood still for seconds in the middle of it: nothing was written, and it says to try again.
      busy += 1;
      return send(app, code);
    };
    for (const wave of [0, 1, 2]) {
      for (const [app, step] of [
        [here, 7],
        [there, 23],
      ] as const) {
        for (let at = 0; at < 40; at++) sent.push(send(app, `c${((at * step) % 40) + wave * 20}`));
      }
      await pause(30);
    }
    const codes = Map.groupBy(await Promise.all(sent), ({ code }) => code);
    assert.equal(codes.size, 80);
    assert.ok(busy <= 24, `${busy} of 240 found it busy`);
    for (const answers of codes.values()) {
      const [first, ...others] = answers.map(({ status }) => status).sort();
      assert.equal(first, 201);
      for (const status of others) assert.equal(status, 409);
    }
    resultOf(
      await here.call('DELETE', '/v1/_admin/projects/p/collections/twice?confirm=destructive', asAdmin),
    );
  });

  it('give back the places of those that are refused', async () => {
    const places = `SELECT collection, seq, created FROM ${await schemaOf(here.url)}.counters ORDER BY collection`;
    resultOf(await here.call('POST', '/v1/p/things', { body: { name: 'taken' } }), 201);
    const before = await rowsOf(here.url, places);
    const refused = [{ name: 'taken' }, { name: 'not taken', brand: 'none' }];
    for (const body of refused) {
      assert.ok((await there.call('POST', '/v1/p/things', { body })).status >= 400);
      const batch = { create: [{ name: 'new' }, body] };
      assert.ok((await here.call('POST', '/v1/p/things/batch', { body: batch })).status >= 400);
    }
    assert.deepEqual(await rowsOf(here.url, places), before, 'and their times');
  });
});
