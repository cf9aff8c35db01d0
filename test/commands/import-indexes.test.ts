import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { makePlace, type Place } from './support.ts';

const shop = {
  id: 'shop',
  collections: [
    {
      id: 'items',
      fields: {
        title: { type: 'text', maxLength: 20 },
        group: { type: 'text', index: true },
        price: { type: 'number', index: true },
        sku: { type: 'text', unique: true },
        mail: { type: 'email', unique: true },
        tags: { type: 'list', of: { type: 'text' } },
        like: { type: 'relation', to: 'items' },
      },
      indexes: [{ fields: ['group', 'price'] }, { fields: ['title', 'price'], unique: true }],
    },
  ],
};

interface Row {
  readonly title: string | number;
  readonly [name: string]: string | number | readonly string[];
}

describe('vitrine import into a directory and its indexes', () => {
  let place: Place;
  let made: unknown[];
  before(async () => {
    place = await makePlace();
    await place.expect(0, ['apply', await place.write('shop.json', shop)]);
    made = await indexes();
  });
  after(() => place.remove());

  /** The indexes of the project's file, once each of them was found to hold just what its table has. */
  async function indexes(): Promise<unknown[]> {
    const db = (await loadRuntime()).sqlite.open(join(place.data, 'projects', 'shop.db'));
    const rows = (text: string) => db.prepare(text).rows([]);
    assert.deepEqual(rows('PRAGMA integrity_check'), [['ok']]);
    const found = rows("SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name");
    db.close();
    return found;
  }

  const rowsOf = (name: string, count: number): Row[] =>
    Array.from({ length: count }, (_, at) => ({
      title: `${name} ${at}`,
      group: `g${at % 7}`,
      price: at % 50,
      sku: `${name} ${at}`,
      mail: `${name}${at}@example.com`,
      tags: [`t${at % 3}`],
    }));

  async function imports(code: number, rows: readonly Row[], ...flags: string[]): Promise<string> {
    const file = await place.write('rows.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
    const words = ['import', '--project', 'shop', '--collection', 'items', file, ...flags];
    return (await place.expect(code, words)).err.replace(/^.*rows\/s\n/gm, '');
  }

  async function count(filter = ''): Promise<number> {
    const words = ['export', '--project', 'shop', '--collection', 'items', '--format', 'ndjson'];
    const { out } = await place.expect(0, [...words, ...(filter === '' ? [] : ['--query', filter])]);
    return out.split('\n').filter((line) => line !== '').length;
  }

  it('leaves them as they were where it imports nothing', async () => {
    const refused = await imports(1, [...rowsOf('a', 500), { title: 1 }]);
    assert.match(refused, /^line 501: title: must be a string, not a number$/m);
    await imports(0, rowsOf('a', 500), '--dry-run');
    assert.deepEqual(await indexes(), made);
    assert.equal(await count(), 0);
  });

  it('keeps them whole in a collection that was empty, with rows that are refused in between', async () => {
    const rows = rowsOf('b', 1_000);
    const twice = rows.slice(300, 310).map((row) => ({ ...row, title: 'another' }));
    const refused = await imports(
      0,
      [...rows.slice(0, 500), { title: 1 }, ...twice, ...rows.slice(500)],
      '--keep-good',
    );
    assert.equal(refused.match(/^line \d+: sku: "b 30\d" is already taken/gm)?.length, 10, refused);
    assert.deepEqual(await indexes(), made);
    assert.equal(await count(), 1_000);
    assert.equal(await count('group=g3'), 143);
  });

  it('and in one that has records', async () => {
    await imports(0, rowsOf('c', 300));
    assert.deepEqual(await indexes(), made);
    assert.equal(await count(), 1_300);
    assert.equal(await count('group=g3'), 143 + 43);
  });
});
