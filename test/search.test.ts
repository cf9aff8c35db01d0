import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, makeProject, pause, Records, resultOf } from './support.ts';

const fields = {
  key: { type: 'number' },
  title: { type: 'text' },
  email: { type: 'email' },
  url: { type: 'url' },
  body: { type: 'content' },
  tags: { type: 'list', of: { type: 'text' } },
  emails: { type: 'list', of: { type: 'email' } },
  urls: { type: 'list', of: { type: 'url' } },
  bodies: { type: 'list', of: { type: 'content' } },
  sizes: { type: 'list', of: { type: 'number' } },
};

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

async function collection(bodies: readonly JsonObject[] = []): Promise<Records> {
  const notes = new Records(app, `${await makeProject(app, definition('notes', fields))}/notes`);
  await notes.createAll(bodies);
  return notes;
}

const query = (words: string) => `search=${encodeURIComponent(words)}`;

interface Sentence {
  readonly sentence: string;
  readonly records: readonly JsonObject[];
  /** Words, and which of the records (by position) they find. */
  readonly finds: Readonly<Record<string, readonly number[]>>;
}

const sentences: readonly Sentence[] = [
  {
    sentence: 'a word is found in any letter case of any script',
    records: [{ title: 'Москва' }, { title: 'ΑΘΗΝΑΣ Οδός' }, { title: 'Ünïcödé ÇA' }, { title: 'Straße' }],
    finds: {
      МОСКВА: [0],
      москва: [0],
      мОсК: [0],
      αθηνας: [1],
      οδοσ: [],
      ΟΔΌΣ: [1],
      ünïcödé: [2],
      ça: [2],
      STRASSE: [3],
      straße: [3],
      moskva: [],
    },
  },
  {
    sentence: 'a letter is the same however its accent is written',
    records: [{ title: 'Caf\u00e9' }, { title: 'cafe\u0301' }],
    finds: { 'CAF\u00c9': [0, 1], 'cafe\u0301': [0, 1] },
  },
  {
    sentence: 'a part of a word is found: beginning, middle and end',
    records: [{ title: 'Extraordinary things' }, { title: 'ordinary' }],
    finds: {
      extra: [0],
      ordinary: [0, 1],
      extraordinary: [0],
      extraordinari: [],
      nary: [0, 1],
      raordinar: [0],
      thing: [0],
      hings: [0],
      ordinaryx: [],
      xtraordinary: [0],
    },
  },
  {
    sentence: 'one and two letters are found',
    records: [{ title: 'alpha b' }, { title: 'bc' }, { title: 'дом' }, { title: '7 up' }],
    finds: { b: [0, 1], bc: [1], c: [1], д: [2], ОМ: [2], 7: [3], p: [0, 3], zz: [] },
  },
  {
    sentence: 'CJK and other scripts without spaces are found by any part',
    records: [
      { title: '東京都庁舎' },
      { title: '大阪城' },
      { title: '한국어 검색' },
      { title: 'สวัสดี' },
      { title: '😀🎉' },
    ],
    finds: {
      東: [0],
      京都: [0],
      東京都庁舎: [0],
      城: [1],
      国: [],
      국어: [2],
      วัส: [3],
      '🎉': [4],
      '😀🎉': [4],
    },
  },
  {
    sentence: 'every word must occur, in whatever field and order',
    records: [
      { title: 'red car', body: 'fast and loud' },
      { title: 'red bike', tags: ['fast'] },
      { title: 'blue car' },
    ],
    finds: {
      'red fast': [0, 1],
      'fast red': [0, 1],
      'car loud red': [0],
      'blue fast': [],
      '  red   bike  ': [1],
      'car car': [0, 2],
    },
  },
  {
    sentence: 'a quoted phrase counts as one word, within one field',
    records: [{ title: 'a fast car' }, { title: 'car so fast' }, { title: 'one fast', body: 'car two' }],
    finds: {
      '"fast car"': [0],
      'fast car': [0, 1, 2],
      '"FAST CAR"': [0],
      '"so fast" car': [1],
      '"fast  car"': [0],
      '"ast ca"': [0],
      '"fast car': [0],
      '""': [0, 1, 2],
    },
  },
  {
    sentence: 'inside a phrase any run of white space is one blank',
    records: [
      { body: 'a fast\ncar' },
      { body: 'a fast \r\n\t car' },
      { title: 'fast\u3000\u00a0car' },
      { title: 'fastcar' },
      { tags: ['fast', 'car'] },
      { body: 'so fast\n\n\ncar, and\nloud' },
    ],
    finds: {
      '"fast car"': [0, 1, 2, 5],
      '"fast\tcar"': [0, 1, 2, 5],
      '"fast \u3000 car, and loud"': [5],
      'fast car': [0, 1, 2, 3, 4, 5],
    },
  },
  {
    sentence: 'it looks at text, email, url, content and lists of these, and nowhere else',
    records: [
      { title: 'needle' },
      { email: 'needle@x.example' },
      { url: 'https://needle.example/' },
      { body: '# needle' },
      { tags: ['hay', 'needle'] },
      { key: 12345, sizes: [12345] },
      { emails: ['needle@x.example'] },
      { urls: ['https://x.example/needle', 'https://y.example/'] },
      { bodies: ['# a\nneedle'] },
    ],
    finds: { needle: [0, 1, 2, 3, 4, 6, 7, 8], '"a needle"': [8], 12345: [], hay: [4], '"hay needle"': [] },
  },
  {
    sentence: 'a private-use character is no punctuation',
    records: [{ title: 'a\ue040b' }, { title: 'a@b' }],
    finds: { 'a@b': [1], '@': [1], 'a\ue040b': [0], '\ue040': [0] },
  },
  {
    sentence: 'punctuation is part of a word',
    records: [
      { email: 'ann.lee+x@mail.example' },
      { url: 'https://x.example/a?b=c&d=%20#e' },
      { title: 'C++ and C#' },
      { title: '50% off' },
      { title: 'snake_case' },
      { title: 'it\'s "quoted" (here) a*b \\ ^~' },
      { title: '500 snakeXcase' },
    ],
    finds: {
      'ann.lee+x@mail.example': [0],
      'lee+x@': [0],
      '@mail': [0],
      'https://x.example/a?b=c&d=%20#e': [1],
      '?b=c&': [1],
      'c++': [2],
      'C#': [2],
      '++': [2],
      '50%': [3],
      '%': [1, 3],
      snake_case: [4],
      _: [4],
      "it's": [5],
      '(here)': [5],
      'a*b': [5],
      '\\': [5],
      '^~': [5],
      '*': [5],
      'sna*': [],
      '-': [],
      NOT: [],
      'a OR b': [],
    },
  },
];

describe('search:', () => {
  for (const { sentence, records, finds } of sentences) {
    it(sentence, async () => {
      const notes = await collection();
      const rows = await notes.createAll(records);
      const check = async (when: string) => {
        for (const [words, expected] of Object.entries(finds)) {
          const { found, total } = await notes.list(query(words));
          const positions = found.map(({ _id }) => rows.findIndex((row) => row._id === _id));
          assert.deepEqual([positions, total], [expected, expected.length], `${words}, ${when}`);
        }
      };
      await check('right after the write');
      await pause(100);
      await check('once indexed');
      await app.reopen();
      await check('after a restart');
    });
  }

  it('nothing but spaces finds everything', async () => {
    const notes = await collection([{ title: 'a' }, {}]);
    for (const words of ['', ' ', '  ']) assert.equal(await notes.total(query(words)), 2);
  });

  it('takes as many words as a URL holds, or refuses them: never a 500', async () => {
    const notes = await collection([{ title: 'a' }]);
    const words = Array.from({ length: 2000 }, (_, n) => n.toString(36)).join('+');
    const { status, text } = await notes.call('GET', `?search=${words}`);
    assert.ok(status === 200 || status === 400, text);
  });

  it('given twice is a 400', async () => {
    const notes = await collection();
    assertRefused(await notes.call('GET', '?search=a&search=b'), 400, 'search: is given more than once');
  });
});

describe('search after a change', () => {
  for (const [when, wait] of [
    ['at once', 0],
    ['when the record was indexed before', 100],
  ] as const) {
    it(`finds the new words and no longer the old ones, ${when}`, async () => {
      const notes = await collection();
      const { _id } = await notes.create({ title: 'yesterday', tags: ['old'], body: 'stays' });
      await pause(wait);
      await notes.update(_id, { title: 'tomorrow', tags: ['new'] });
      const check = async () => {
        for (const word of ['tomorrow', 'new', 'stays', 'morr'])
          assert.equal(await notes.total(query(word)), 1, word);
        for (const word of ['yesterday', 'old', 'yes']) assert.equal(await notes.total(query(word)), 0, word);
      };
      await check();
      await pause(wait);
      await check();
      await notes.update(_id, { title: null, tags: [] });
      assert.deepEqual([await notes.total('search=tomorrow'), await notes.total('search=stays')], [0, 1]);
    });

    it(`no longer finds a deleted record, ${when}`, async () => {
      const notes = await collection([{ title: 'twin' }]);
      const { _id } = await notes.create({ title: 'twin' });
      await pause(wait);
      await notes.remove(_id);
      assert.equal(await notes.total('search=twin'), 1);
      await notes.create({ title: 'other' });
      await pause(wait);
      assert.equal(await notes.total('search=twin'), 1);
    });
  }

  it('finds new records of one batch, of whatever length', async () => {
    const notes = await collection();
    const long = `start ${'filling '.repeat(4_000)}end`;
    const create = [{ title: 'start' }, { key: 1 }, { body: long }, { title: 'end' }, { body: `${long}s` }];
    await notes.call('POST', '/batch', { create });
    const check = async () => {
      const totals = ['start', 'end', 'filling', 'ends'].map((word) => notes.total(query(word)));
      assert.deepEqual(await Promise.all(totals), [3, 3, 2, 1]);
    };
    await check();
    await pause(200);
    await check();
    await app.reopen();
    await check();
  });

  it('finds new records that were written together with batches that were refused', async () => {
    const unique = { ...fields, key: { type: 'number', unique: true } };
    const notes = new Records(app, `${await makeProject(app, definition('notes', unique))}/notes`);
    await notes.create({ key: 1 });
    let key = 2;
    const refused = () => ({ create: [{ key: key++ }, { key: key++ }, { title: 'refused' }, { key: 1 }] });
    const times = (count: number, write: (n: number) => Promise<unknown>) => async () => {
      for (let n = 0; n < count; n++) await write(n);
    };
    const batches = times(60, () => notes.call('POST', '/batch', refused()));
    const creations = times(60, (n) => notes.create({ title: `kept ${n}` }));
    await Promise.all([batches(), creations(), batches(), creations(), batches(), creations()]);
    for (const wait of [0, 200]) {
      await pause(wait);
      assert.deepEqual([await notes.total('search=kept'), await notes.total('search=refused')], [180, 0]);
    }
  });

  it('finds the same after changes of the definition, be its tables made anew, and nothing of a collection of that name before', async () => {
    const base = await makeProject(
      app,
      definition('notes', { title: { type: 'text' }, key: { type: 'number' } }),
    );
    const collections = `${base.replace('/v1/', '/v1/_admin/projects/')}/collections`;
    const notes = new Records(app, `${base}/notes`);
    const create = Array.from({ length: 60 }, (_, key) => ({ key, title: `common word${key}` }));
    resultOf(await notes.call('POST', '/batch', { create }));
    const totals = async () => [await notes.total('search=word7'), await notes.total('search=common')];
    assert.deepEqual(await totals(), [1, 60]);
    for (const changed of [
      { title: { type: 'text', unique: true }, key: { type: 'number' } },
      { title: { type: 'content' }, key: { type: 'text' } },
      { body: { type: 'content', renamedFrom: 'title' }, key: { type: 'text' } },
    ] satisfies JsonObject[]) {
      const body = definition('notes', changed);
      resultOf(await app.call('PUT', `${collections}/notes?confirm=destructive`, { ...asAdmin, body }));
      for (const wait of [0, 300]) {
        await pause(wait); // texts are indexed
        assert.deepEqual(await totals(), [1, 60]);
      }
    }
    resultOf(await app.call('DELETE', `${collections}/notes?confirm=destructive`, asAdmin));
    resultOf(await app.call('POST', collections, { ...asAdmin, body: definition('notes', fields) }), 201);
    await notes.create({ title: 'another word7' });
    assert.deepEqual(await totals(), [1, 0]);
  });

  it('counts the same while hundreds of records are being indexed', async () => {
    const notes = await collection();
    await Promise.all(
      Array.from({ length: 500 }, (_, key) => notes.create({ key, title: `note number ${key}` })),
    );
    for (let turn = 0; turn < 15; turn++) {
      assert.equal(await notes.total('search=number&perPage=1'), 500);
      assert.equal(await notes.total('search=note+499'), 1);
      await pause(20);
    }
  });
});

describe('search with other parameters', () => {
  it('combines with filters, sort and paging', async () => {
    const notes = await collection(
      Array.from({ length: 9 }, (_, key) => ({ key, title: key % 2 ? 'odd' : 'even' })),
    );
    const { found, ...rest } = await notes.list('search=odd&key>1&sort=-key&perPage=2&page=1&fields=key');
    assert.deepEqual(rest, { page: 1, perPage: 2, total: 3, totalPages: 2 });
    assert.deepEqual(
      found.map(({ key }) => key),
      [7, 5],
    );
  });
});
