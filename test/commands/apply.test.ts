import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { key, makePlace, type Place, records } from './support.ts';

const brands = {
  id: 'brands',
  fields: { name: { type: 'text', required: true } },
  api: { access: 'public' },
};
const products = {
  id: 'products',
  fields: {
    title: { type: 'text', required: true },
    price: { type: 'number' },
    brand: { type: 'relation', to: 'brands' },
  },
  indexes: [{ fields: ['brand', 'title'], unique: true }],
  api: { access: 'public', methods: { distinct: { fields: ['brand', 'title'] } } },
};
const shop = (...collections: JsonObject[]) => ({ id: 'shop', collections });

describe('vitrine apply, on a data directory', () => {
  let place: Place;
  before(async () => {
    place = await makePlace();
  });
  after(() => place.remove());

  it('--dry-run and --check change nothing, not even make the directory', async () => {
    const file = await place.write('shop.json', shop(products, brands));
    const dry = await place.expect(0, ['apply', file, '--dry-run']);
    assert.match(
      dry.out,
      /\+ project, which is new\n.*\+ collection brands: name\n.*\+ collection products: title/s,
    );
    await place.expect(3, ['apply', file, '--check']);
    assert.equal(existsSync(place.data), false);
  });

  it('makes the project and its collections whatever their order, and then has nothing to do', async () => {
    const file = await place.write('shop.json', shop(products, brands));
    assert.match((await place.expect(0, ['apply', file])).out, /Done\n$/);
    assert.match((await place.expect(0, ['apply', file])).out, /nothing to do\n$/);
    await place.expect(0, ['apply', file, '--check']);
  });

  it('puts fields into the order of the file, and then has nothing to do', async () => {
    const { title, price, brand } = products.fields;
    const moved = { ...products, fields: { price, title, brand } };
    const file = await place.write('shop.json', shop(moved, brands));
    assert.match(
      (await place.expect(0, ['apply', file])).out,
      /~ order of the fields: price, title, brand\n/,
    );
    assert.match((await place.expect(0, ['apply', file])).out, /nothing to do\n$/);
    await place.expect(0, ['apply', await place.write('shop.json', shop(products, brands))]);
  });

  it('makes collections that point to each other', async () => {
    const one = { id: 'one', fields: { other: { type: 'relation', to: 'two' }, name: { type: 'text' } } };
    const two = {
      id: 'two',
      fields: {
        other: { type: 'relation', to: 'three', kind: 'multiple' },
        own: { type: 'relation', to: 'two' },
      },
    };
    const three = { id: 'three', fields: { other: { type: 'relation', to: 'one', required: true } } };
    const indexed = {
      ...one,
      indexes: [{ fields: ['other', 'name'] }],
      api: { methods: { distinct: { fields: ['other'] } } },
    };
    const file = await place.write('ring.json', { id: 'ring', collections: [indexed, two, three] });
    await place.expect(0, ['apply', file]);
    await place.expect(0, ['apply', file, '--check']);
    const none = await place.write('none.json', { id: 'ring', collections: [] });
    await place.expect(1, ['apply', none]);
    await place.expect(0, ['apply', none, '--confirm-destructive']);
    await place.expect(0, ['apply', none, '--check']);
  });

  it('keeps values through a renaming, tells what would be lost, and loses it only when confirmed', async () => {
    const rows = await place.write('brands.ndjson', '{"name":"Fjord"}\n{"name":"Sakura"}\n');
    await place.expect(0, ['import', '--project', 'shop', '--collection', 'brands', rows]);
    const renamed = { ...brands, fields: { title: { type: 'text', required: true, renamedFrom: 'name' } } };
    const file = await place.write('shop.json', shop(products, renamed));
    const plan = await place.expect(0, ['apply', file]);
    assert.match(plan.out, /~ collection brands, 2 records\n\s+~ field name is renamed title\n/);
    assert.match((await place.expect(0, ['apply', file])).out, /nothing to do/);

    const { title: _, ...rest } = products.fields;
    const fewer = { ...products, fields: rest, indexes: [], api: { access: 'public' } };
    const destructive = await place.write('less.json', shop(fewer, { ...renamed, fields: {} }));
    const refused = await place.expect(1, ['apply', destructive]);
    assert.match(refused.out, /! - field title, lost in 2 records\n/);
    assert.match(refused.err, /nothing was changed.*--confirm-destructive/);
    assert.match((await place.expect(0, ['apply', file, '--check'])).out, /nothing to do/);
    await place.expect(0, ['apply', destructive, '--confirm-destructive']);
    assert.deepEqual(
      (await records(place, 'shop/brands')).map(({ title }) => title),
      [undefined, undefined],
    );
  });

  it('tells what users would lose of their profiles, and takes it only when confirmed', async () => {
    const app = (profile: JsonObject) => ({ id: 'app', auth: { profile }, collections: [] });
    const text = { type: 'text' };
    const file = await place.write('app.json', app({ city: text, plan: text, size: text }));
    await place.expect(0, ['apply', file]);
    const fewer = { town: { ...text, renamedFrom: 'city' }, size: { type: 'number' } };
    const less = await place.write('app-less.json', app(fewer));
    const shown = await place.expect(3, ['apply', less, '--check']);
    assert.match(shown.out, /! - field plan of auth\.profile: its values are lost in all users\n/);
    assert.match(
      shown.out,
      /! ~ field size of auth\.profile: text → number, its values are lost in all users\n/,
    );
    assert.doesNotMatch(shown.out, /! .*(city|town)/);
    const refused = await place.expect(1, ['apply', less]);
    assert.match(refused.err, /nothing was changed.*--confirm-destructive/);
    await place.expect(0, ['apply', file, '--check']);
    await place.expect(0, ['apply', less, '--confirm-destructive']);
    await place.expect(0, ['apply', less, '--check']);
    const more = await place.write('app-more.json', app({ ...fewer, extra: text }));
    await place.expect(0, ['apply', more]);
    const fresh = await place.write('app-fresh.json', { ...app(fewer), id: 'fresh' });
    await place.expect(0, ['apply', fresh]);
    await place.expect(0, ['apply', fresh, '--check']);
  });

  it('deletes a collection that is not in the file only when confirmed', async () => {
    const file = await place.write('shop.json', shop({ ...brands, fields: {} }));
    const refused = await place.expect(1, ['apply', file]);
    assert.match(refused.out, /! - collection products: it and 0 records are lost/);
    await place.expect(3, ['apply', file, '--check']);
    await place.expect(0, ['apply', file, '--confirm-destructive']);
    await place.expect(0, ['apply', file, '--check']);
  });

  it('says what was done before a step that the instance refuses', async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`f${at}`, { type: 'number' }]));
    const collections = [
      { id: 'one', fields: {} },
      { id: 'two', fields: many },
    ];
    const file = await place.write('half.json', { id: 'half', collections });
    const { err } = await place.expect(1, ['apply', file]);
    assert.match(err, /two: .*200.*\(done before, and stays: project half created, one created\)\n$/);
  });

  it('refuses, before it changes anything, a required relation to a new collection where there are records', async () => {
    const links = (to: string, required: boolean) => ({
      id: 'links',
      fields: { r: { type: 'relation', to, ...(required && { required }) } },
    });
    const early = (...collections: JsonObject[]) => ({ id: 'early', collections });
    await place.expect(0, ['apply', await place.write('early.json', early(links('links', false)))]);
    const file = await place.write('later.json', early(links('fresh', true), { id: 'fresh', fields: {} }));
    const rows = await place.write('rows.json', [{}]);
    await place.expect(0, ['import', '--project', 'early', '--collection', 'links', rows]);
    const { out, err } = await place.expect(1, ['apply', file, '--confirm-destructive']);
    assert.match(out, /! 1 record contradicts it: \S+ \(r: is required\)/);
    assert.match(err, /nothing was changed: records in links contradict the file/);
    const pulled = await place.expect(0, ['pull', '--project', 'early']);
    assert.doesNotMatch(pulled.out, /"fresh"/);
  });

  it('shows no secret of a provider in a plan', async () => {
    const provider = { id: 'acme', issuer: 'https://id.example', clientId: 'app', clientSecret: 'hush-hush' };
    const project = { id: 'secretive', auth: { providers: [provider] }, collections: [] };
    const file = await place.write('secretive.json', project);
    for (const more of [['--dry-run'], []]) {
      const { out, err } = await place.expect(0, ['apply', file, ...more]);
      assert.match(out, /"clientSecret":"\(not shown\)"/);
      assert.doesNotMatch(out + err, /hush/);
    }
  });

  it('reads JSON with the mark that some editors put before it, and nothing but UTF-8', async () => {
    const text = JSON.stringify({ id: 'marked', name: 'Müller', collections: [] });
    await place.expect(0, ['apply', await place.write('marked.json', `\ufeff${text}`)]);
    const latin = await place.write('latin.json', Buffer.from(text, 'latin1'));
    assert.match((await place.expect(1, ['apply', latin])).err, /latin\.json: is not text in UTF-8\n$/);
  });

  it('refuses, before it changes anything, what records contradict', async () => {
    const notes = { id: 'notes', fields: { size: { type: 'number' } } };
    const file = await place.write('c.json', { id: 'contra', collections: [notes] });
    await place.expect(0, ['apply', file]);
    const rows = await place.write('n.ndjson', '{"size":1}\n{"size":5}\n');
    await place.expect(0, ['import', '--project', 'contra', '--collection', 'notes', rows]);
    const tighter = { ...notes, fields: { size: { type: 'number', min: 3 } } };
    const both = await place.write('c2.json', { id: 'contra', collections: [{ id: 'more' }, tighter] });
    const refused = await place.expect(1, ['apply', both]);
    assert.match(
      refused.out,
      /field size: min none → 3\n.*! 1 record contradicts it: \S+ \(size: must be at least 3\)/s,
    );
    assert.match(refused.err, /nothing was changed: records in notes contradict the file/);
    await place.expect(0, ['apply', file, '--check']);
  });

  it('a relation that is added together with its collection is in the plan and in the result', async () => {
    const notes = {
      id: 'notes',
      fields: { size: { type: 'number' }, kind: { type: 'relation', to: 'kinds' } },
      indexes: [{ fields: ['kind', 'size'] }],
    };
    const file = await place.write('c3.json', { id: 'contra', collections: [notes, { id: 'kinds' }] });
    const done = await place.expect(0, ['apply', file]);
    assert.match(done.out, /\+ collection kinds.*~ collection notes, 2 records\n\s+\+ field kind: relation/s);
    await place.expect(0, ['apply', file, '--check']);
  });

  it('names every fault of a file at once, and of each the place', async () => {
    const wrong = { id: 'shop', nme: 'x', collections: [] };
    assert.match(
      (await place.expect(1, ['apply', await place.write('w.json', wrong)])).err,
      /w\.json: nme: is not a known key, did you mean 'name'\?/,
    );
    const fields = { id: 'a', fields: { x: { type: 'txt' }, y: { type: 'relation', to: 'bb' } } };
    const faults = await place.write('w.json', shop(fields, { id: 'b', nam: 'B' }, { id: 'b' }));
    const { err } = await place.expect(1, ['apply', faults]);
    for (const part of [
      'a.fields.x.type: must be one of',
      "there is no collection 'bb', did you mean 'b'?",
      'b.nam: is not a known key',
    ]) {
      assert.ok(err.includes(part), err);
    }
    for (const [name, text, said] of [
      ['w.json', '{"id": "shop",\n "collections": [}', /w\.json: not valid JSON, line 2\n/],
      ['w.json', '{"id":"shop","id":"x","collections":[]}', /id: is in the file twice/],
      ['w.ts', 'export const nothing = 1;', /must export the project/],
      ['w.ts', 'throw new Error("broken");', /broken/],
      ['w.yaml', '', /must end with \.json/],
    ] as const) {
      assert.match((await place.expect(1, ['apply', await place.write(name, text)])).err, said);
    }
    assert.match((await place.expect(1, ['apply', place.path('absent.json')])).err, /there is no such file/);
    await place.expect(2, ['apply']);
    await place.expect(2, ['apply', 'a.json', 'b.json']);
  });

  it('takes TypeScript with defineProject as default, and JavaScript with a named project', async () => {
    const text =
      "import { defineProject } from 'vitrine/define';\nexport default defineProject({ id: 'typed', name: 'T' as string, collections: [] });\n";
    await place.expect(0, ['apply', await place.write('typed.ts', text)]);
    const named =
      "export const project = { id: 'typed', name: 'U', auth: { registration: 'closed' }, collections: [] };\n";
    const changed = await place.expect(0, ['apply', await place.write('typed.mjs', named)]);
    assert.match(
      changed.out,
      /~ name "T" → "U"\n\s+~ auth {"registration":"open"} → {"registration":"closed"}\n/,
    );
  });

  it('is in colour only on a terminal', async () => {
    const file = await place.write('colour.json', { id: 'colour', collections: [] });
    assert.equal((await place.expect(0, ['apply', file, '--dry-run'])).out.includes('\u001b'), false);
  });
});

describe('vitrine apply and pull, against a server', () => {
  let place: Place;
  let server: { url: string; stop(): Promise<void> };
  const environment = { VITRINE_ADMIN_KEY: key };
  before(async () => {
    place = await makePlace();
    server = await place.serve();
  });
  after(async () => {
    await server.stop();
    await place.remove();
  });

  it('does over HTTP what it does on a directory', async () => {
    const file = await place.write('shop.json', { ...shop(products, brands), name: 'Shop' });
    const there = ['--url', `${server.url}/`];
    assert.equal((await place.run(['apply', file, '--check', ...there], { environment })).code, 3);
    const done = await place.run(['apply', file, ...there], { environment });
    assert.equal(done.code, 0, done.err);
    assert.equal((await place.run(['apply', file, '--check', ...there], { environment })).code, 0);
    const pulled = await place.run(['pull', '--project', 'shop', '--out', place.path('p.ts')], {
      environment: { ...environment, VITRINE_URL: server.url },
    });
    assert.equal(pulled.code, 0, pulled.err);
    assert.match(await readFile(place.path('p.ts'), 'utf8'), /brand: { type: 'relation', to: 'brands' }/);
    assert.equal(
      (await place.run(['apply', place.path('p.ts'), '--check', ...there], { environment })).code,
      0,
    );
    const less = await place.write('less.json', shop());
    const refused = await place.run(['apply', less, ...there], { environment });
    assert.equal(refused.code, 1);
    assert.match(refused.err, /--confirm-destructive/);
    assert.equal(
      (await place.run(['apply', less, '--confirm-destructive', ...there], { environment })).code,
      0,
    );
  });

  it('says what is wrong with the address or the key', async () => {
    const file = await place.write('shop.json', shop());
    const at = (url: string, environment: Record<string, string> = {}) =>
      place.run(['apply', file, '--url', url], { environment });
    assert.equal((await at(server.url)).code, 2);
    const wrong = await at(server.url, { VITRINE_ADMIN_KEY: 'wrong' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /^vitrine: .*VITRINE_ADMIN_KEY.*\n$/);
    const nobody = await at('http://127.0.0.1:1', environment);
    assert.equal(nobody.code, 1);
    assert.match(nobody.err, /^vitrine: http:\/\/127\.0\.0\.1:1 can't be reached: .*\n$/);
    assert.equal((await at('ftp://x', environment)).code, 2);
    const below = await at(`${server.url}/v1/`, environment);
    assert.equal(below.code, 2);
    assert.match(below.err, /leave out \/v1/);
  });

  it('a directory that a server uses is refused to everything but vitrine admin', async () => {
    const file = await place.write('shop.json', shop());
    const inUse =
      /can't be used: another Vitrine \(process \d+\) uses it; work on that server with --url, or stop it\n$/;
    assert.match((await place.expect(1, ['apply', file])).err, inUse);
    assert.match((await place.expect(1, ['pull', '--project', 'shop'])).err, inUse);
    const { err } = await place.expect(1, ['backup', 'shop', '--to', place.path('y.backup')]);
    assert.match(err, inUse);
    const copied = await place.run(['copy', 'shop', '--from', place.data, '--to', place.path('other')]);
    assert.match(copied.err, /uses it; stop it while the project is copied\n$/);
    assert.match(
      (await place.expect(1, ['serve', '--port', '0'])).err,
      /another Vitrine \(process \d+\) uses it/,
    );
    await place.expect(0, ['admin', '--email', 'ann@example.com'], {
      environment: { VITRINE_ADMIN_PASSWORD: 'correct horse' },
    });
  });
});
