import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records, type Row, strangerId } from './support.ts';

const fields: JsonObject = {
  key: { type: 'text' },
  price: { type: 'number', index: true },
  plain: { type: 'number' },
  date: { type: 'datetime', index: true },
  when: { type: 'datetime' },
  status: { type: 'text' },
  email: { type: 'email' },
  url: { type: 'url' },
  content: { type: 'content' },
  on: { type: 'boolean' },
  tags: { type: 'list', of: { type: 'text' } },
  sizes: { type: 'list', of: { type: 'number' } },
  brand: { type: 'relation', to: 'things' },
  peers: { type: 'relation', to: 'things', kind: 'multiple' },
};

const numbers = [-1e300, -10, -1.5, 0, 0.1, 10, 10.5, 9007199254740991, 1e300];
const dates = [
  '0001-01-01',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01',
  '2026-01-01',
  '2026-01-01T00:00:00.001Z',
];

let app: TestApp;
let things: Records;
let rows: Row[];

before(async () => {
  app = await startApp();
  things = new Records(app, `${await makeProject(app, definition('things', fields))}/things`);
  const bodies: JsonObject[] = [...numbers, null].map((price, at) => {
    const date = dates[at] ?? null;
    const letter = 'abc'[at] ?? null;
    return {
      ...{ key: String(at), price, plain: price, date, when: date, status: letter },
      email: letter && `${letter}@x.example`,
      url: letter && `https://x.example/${letter},1`,
      content: letter && `${letter} < z`,
      on: at === 0 ? true : at === 1 ? false : null,
      tags: letter ? [letter, 'all, of them'] : [],
      sizes: at < 3 ? [at, 7.5] : [],
    };
  });
  rows = await things.createAll(bodies);
  const [first, second] = rows as [Row, Row];
  await things.update(second._id, { brand: first._id, peers: [first._id, second._id] });
  await things.update(rows[2]?._id ?? '', { brand: second._id, peers: [second._id] });
  rows = (await things.list()).found;
});
after(() => app.close());

const encode = encodeURIComponent;
const finds = async (query: string, fits: (row: Row) => boolean) => {
  const expected = rows.filter(fits).map(({ key }) => key);
  assert.deepEqual(await things.values('key', query), expected, query);
};

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};

describe('comparison of numbers and times', () => {
  for (const [operator, holds] of Object.entries(comparisons)) {
    it(`${operator} finds every value that fits, at the bound and beside it, and no unset one`, async () => {
      for (const bound of [...numbers, -11, 1, 9007199254740990, -1e301, 1e301, 5e-324]) {
        for (const name of ['price', 'plain']) {
          const text = encode(String(bound));
          await finds(
            `${name}${operator}${text}`,
            (row) => row[name] !== null && holds(Number(row[name]) - bound),
          );
          await finds(`${name}${encode(operator)}${text}`, (row) => {
            return row[name] !== null && holds(Number(row[name]) - bound);
          });
        }
      }
      for (const bound of [...dates, '1950-06-01', '9999-12-31', '2026-01-01T00:00:00.0005Z']) {
        const at = Date.parse(bound);
        for (const name of ['date', 'when']) {
          await finds(`${name}${operator}${encode(bound)}`, (row) => {
            return row[name] !== null && holds(Date.parse(String(row[name])) - at);
          });
        }
      }
    });

    it(`${operator} works on _createdAt and _updatedAt`, async () => {
      for (const name of ['_createdAt', '_updatedAt']) {
        for (const { [name]: bound } of rows) {
          await finds(`${name}${operator}${encode(String(bound))}`, (row) => {
            return holds(Date.parse(String(row[name])) - Date.parse(String(bound)));
          });
        }
        await finds(`${name}${operator}2020-01-01`, () => holds(1));
      }
    });
  }

  it('takes a time in any offset, and a date alone for its midnight in UTC', async () => {
    const time = (row: Row) => (row.date === null ? Number.NaN : Date.parse(String(row.date)));
    const midnight = Date.UTC(2026, 0, 1);
    await finds(`date>=${encode('2026-01-01T02:00:00+02:00')}`, (row) => time(row) >= midnight);
    await finds('date<2025-12-31T20:30:00-03:30', (row) => time(row) < midnight);
    await finds('date>2025-12-31T20:30:00-03:30', (row) => time(row) > midnight);
    await finds('date>=2026-01-01&date<2026-01-02', (row) => time(row) >= midnight);
  });

  it('narrows with every further condition on the field', async () => {
    await finds(
      'price>=-10&price<10',
      ({ price }) => price !== null && Number(price) >= -10 && Number(price) < 10,
    );
    await finds('price>0&price<10.5&price!=10', ({ price }) => price === 0.1);
    await finds('price>-2&price<20&price<=10&price>=0', ({ price }) =>
      [0, 0.1, 10].includes(Number(price ?? -9)),
    );
    await finds('price>5&price<5', () => false);
    await finds('price=10&price>=10', ({ price }) => price === 10);
    await finds('price>0&plain<10.5', ({ price }) => price === 0.1 || price === 10);
    await finds('price>0&on!=true&tags!=a&sort=_createdAt', ({ price }) => Number(price) > 0);
  });
});

describe('!=', () => {
  const values: Readonly<Record<string, readonly Json[]>> = {
    status: ['a', 'none'],
    email: ['b@x.example'],
    url: ['https://x.example/a,1'],
    content: ['c < z'],
    price: [10, 0, -1e300],
    plain: [0.1],
    on: [true, false],
    tags: ['a', 'all, of them', 'all'],
    sizes: [7.5, 0],
  };
  for (const [name, wanted] of Object.entries(values)) {
    it(`on ${name} finds the others and those in which it is unset; = finds the rest`, async () => {
      for (const value of wanted) {
        const has = (row: Row) => [row[name]].flat().includes(value);
        const text = encode(String(value).replaceAll(',', '\\,'));
        await finds(`${name}!=${text}`, (row) => !has(row));
        await finds(`${name}%21%3D${text}`, (row) => !has(row));
        await finds(`${name}=${text}`, has);
      }
    });
  }

  it('with commas means none of these', async () => {
    await finds('status!=a,b', ({ status }) => status !== 'a' && status !== 'b');
    await finds('status!=a,a', ({ status }) => status !== 'a');
    await finds('price!=0,10,10.5', ({ price }) => ![0, 10, 10.5].some((one) => one === price));
    await finds('on!=true,false', ({ on }) => on === null);
    await finds('tags!=a,b', ({ tags }) => !['a', 'b'].some((one) => [tags].flat().includes(one)));
    await finds('sizes!=0,1', ({ sizes }) => ![0, 1].some((one) => [sizes].flat().includes(one)));
    await finds('url!=https://x.example/a\\,1,https://x.example/b\\,1', ({ key }) => Number(key) > 1);
  });

  it('on a relation is none of these records', async () => {
    const [a, b] = rows.map(({ _id }) => _id) as [string, string];
    await finds(`brand!=${a}`, ({ brand }) => brand !== a);
    await finds(`brand!=${a},${b}`, ({ brand }) => brand === null);
    await finds(`peers!=${a}`, ({ key }) => key !== '1');
    await finds(`peers!=${a},${strangerId}`, ({ key }) => key !== '1');
    await finds(`peers!=${a}&peers!=${b}`, ({ key }) => key !== '1' && key !== '2');
    await finds(`_id!=${a},${b}`, ({ key }) => Number(key) > 1);
    await finds(`brand!=${strangerId}`, () => true);
  });

  it('repeated is one more thing that must hold, and goes with =', async () => {
    await finds('status!=a&status!=b', ({ status }) => status !== 'a' && status !== 'b');
    await finds('status=a,b&status!=a', ({ status }) => status === 'b');
    await finds('status=a&status!=a', () => false);
  });
});

describe('an operator that a type does not take is a 400 that names those it takes:', () => {
  const both = ['=', '!='];
  const orders = Object.keys(comparisons);
  const takes: Readonly<Record<string, readonly string[]>> = {
    ...Object.fromEntries(
      ['status', 'email', 'url', 'content', 'on', 'tags', 'sizes'].map((name) => [name, both]),
    ),
    ...Object.fromEntries(['brand', 'peers', '_id'].map((name) => [name, both])),
    ...Object.fromEntries(['date', 'when', '_createdAt', '_updatedAt'].map((name) => [name, orders])),
  };
  for (const [name, taken] of Object.entries(takes)) {
    it(name, async () => {
      for (const operator of [...both, ...orders].filter((one) => !taken.includes(one))) {
        const refused = await things.call('GET', `?${name}${operator}2026-01-01`);
        assertRefused(refused, 400, `${name}: `, `'${operator}'`, taken.join(', '));
      }
      assert.equal((await things.call('GET', `?${name}~x`)).status, 400);
    });
  }

  it('and a bound that does not parse is a 400 that says what to write', async () => {
    for (const bound of ['', 'x', '0x1', 'NaN', '1e999', '--1', ' ', '1,2']) {
      assertRefused(await things.call('GET', `?price>${encode(bound)}`), 400, 'price: must be a number');
      if (bound === '1,2' || bound === '') continue;
      assertRefused(await things.call('GET', `?price!=1,${encode(bound)}`), 400, 'price: must be a number');
    }
    for (const bound of ['', 'x', '2026', '2026-13-01', '2026-02-30', '2026-01-01T00:00:00', '1', 'now']) {
      assertRefused(await things.call('GET', `?date>=${encode(bound)}`), 400, 'date: must be a date');
    }
    assertRefused(await things.call('GET', '?on!=maybe'), 400, 'on: must be true or false');
  });
});
