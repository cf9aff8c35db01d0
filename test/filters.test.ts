import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records, type Row, strangerId } from './support.ts';

let app: TestApp;
let things: Records;
let a: Row;
let b: Row;
let c: Row;

before(async () => {
  app = await startApp();
  const path = await makeProject(
    app,
    definition('things', {
      key: { type: 'text' },
      text: { type: 'text' },
      email: { type: 'email' },
      url: { type: 'url' },
      content: { type: 'content' },
      num: { type: 'number', index: true },
      flag: { type: 'boolean' },
      time: { type: 'datetime' },
      tags: { type: 'list', of: { type: 'text' } },
      sizes: { type: 'list', of: { type: 'number' } },
      one: { type: 'relation', to: 'things' },
      many: { type: 'relation', to: 'things', kind: 'multiple' },
    }),
  );
  things = new Records(app, `${path}/things`);
  a = await things.create({
    key: 'a',
    text: 'red, green',
    email: 'ann@x.example',
    url: 'https://x.example/?a=1&b=2',
    content: 'x > y = z',
    num: 10,
    flag: true,
    time: '2026-01-01',
    tags: ['x', 'y'],
    sizes: [1, 2.5],
  });
  b = await things.create({
    key: 'b',
    text: 'red',
    email: 'bob@x.example',
    num: -1.5,
    flag: false,
    time: '2026-06-01T12:00:00+02:00',
    tags: ['y', 'z,w'],
    one: a._id,
    many: [a._id],
  });
  c = await things.create({ key: 'c', text: 'Red', num: 20, one: b._id, many: [a._id, b._id] });
  await things.create({ key: 'd' });
});
after(() => app.close());

const finds = async (query: string, keys: string) =>
  assert.equal((await things.values('key', query)).join(''), keys, query);
const encode = encodeURIComponent;

/** For each sentence: a query and the records it finds. */
const sentences: Readonly<Record<string, () => [string, string][]>> = {
  'text, email, url and content match exactly': () => [
    ['text=red', 'b'],
    ['text=Red', 'c'],
    ['text=re', ''],
    ['text=red%20', ''],
    ['email=ann@x.example', 'a'],
    ['email=ann%40x.example', 'a'],
    [`url=${encode('https://x.example/?a=1&b=2')}`, 'a'],
    ['content=x%20>%20y%20=%20z', 'a'],
    ['content=x+%3E+y+%3D+z', 'a'],
    ["text='%20OR%201=1%20--", ''],
  ],
  'several comma-separated texts match with OR': () => [
    ['text=red,Red', 'bc'],
    ['text=red,none', 'b'],
    ['text=red%2CRed', 'bc'],
    ['email=ann@x.example,bob@x.example', 'ab'],
  ],
  'a backslash before a comma makes it part of the value': () => [
    ['text=red\\,%20green', 'a'],
    ['text=red%5C%2C%20green,Red', 'ac'],
    ['text=red,%20green', 'b'],
    ['tags=z\\,w', 'b'],
  ],
  'a repeated parameter is another alternative': () => [
    ['text=red&text=Red', 'bc'],
    ['tags=x&tags=z\\,w', 'ab'],
    [`one=${a._id}&one=${b._id}`, 'bc'],
  ],
  'a number matches exactly': () => [
    ['num=10', 'a'],
    ['num=10.0', 'a'],
    ['num=1e1', 'a'],
    ['num=-1.5', 'b'],
    ['num=1', ''],
  ],
  'a boolean is true or false, and both where it is left out': () => [
    ['flag=true', 'a'],
    ['flag=false', 'b'],
    ['', 'abcd'],
  ],
  'a list contains the value, or any of several': () => [
    ['tags=y', 'ab'],
    ['tags=x', 'a'],
    ['tags=x,none', 'a'],
    ['tags=x,z\\,w', 'ab'],
    ['tags=z', ''],
    ['sizes=2.5', 'a'],
    ['sizes=1,2.5', 'a'],
    ['sizes=9', ''],
  ],
  'a relation is one _id, or any of several': () => [
    [`one=${a._id}`, 'b'],
    [`one=${a._id},${b._id}`, 'bc'],
    [`many=${a._id}`, 'bc'],
    [`many=${b._id},${strangerId}`, 'c'],
    [`one=${strangerId}`, ''],
  ],
  '_id filters like a relation': () => [
    [`_id=${a._id}`, 'a'],
    [`_id=${c._id},${a._id}`, 'ac'],
    [`_id!=${a._id}`, 'bcd'],
  ],
  'filters on different fields combine with AND': () => [
    ['text=red,Red&num=20', 'c'],
    ['text=red&flag=true', ''],
    [`tags=y&flag=false&one=${a._id}`, 'b'],
  ],
  'numbers and times compare with >, >=, < and <=': () => [
    ['num>10', 'c'],
    ['num>=10', 'ac'],
    ['num<10', 'b'],
    ['num<=10', 'ab'],
    ['num>-2&num<0', 'b'],
    ['time>=2026-06-01T10:00:00Z', 'b'],
    ['time>2026-06-01T10:00:00Z', ''],
    ['time<2026-06-01', 'a'],
    ['time<=2026-01-01', 'a'],
    ['time>2026-06-01T12:00:00%2B03:00', 'b'],
    ['_createdAt>=2020-01-01', 'abcd'],
    [`_createdAt<${b._createdAt}`, 'a'],
    [`_updatedAt>${b._updatedAt}&key!=d`, 'c'],
  ],
  'several conditions on one field combine with AND': () => [
    ['num>=10&num<20', 'a'],
    ['num>=10&num!=20', 'a'],
    ['text!=red&text!=Red', 'ad'],
    ['num=10&num>10', ''],
  ],
  'operators may be raw, encoded, or as URLSearchParams writes them': () => [
    ['num%3E%3D10', 'ac'],
    ['num%3e10', 'c'],
    ['num%3E%3D=10', 'ac'],
    ['num%3C=10', 'ab'],
    ['text%21%3Dred', 'acd'],
    ['text%21=red', 'acd'],
  ],
  '!= matches the others and the records in which the field is unset': () => [
    ['text!=red', 'acd'],
    ['email!=ann@x.example', 'bcd'],
    ['url!=x', 'abcd'],
    ['content!=x', 'abcd'],
    ['num!=10', 'bcd'],
    ['flag!=true', 'bcd'],
    ['tags!=y', 'cd'],
    [`one!=${a._id}`, 'acd'],
    [`many!=${a._id}`, 'ad'],
  ],
  'commas in != mean none of these': () => [
    ['text!=red,Red', 'ad'],
    ['num!=10,20', 'bd'],
    ['tags!=x,z\\,w', 'cd'],
    [`one!=${a._id},${b._id}`, 'ad'],
  ],
  'filters, search, sort and paging go together': () => [
    ['search=red&num>0&sort=-num', 'ca'],
    ['num>-5&sort=-num&perPage=1&page=2', 'a'],
  ],
};

describe('filters:', () => {
  for (const [sentence, table] of Object.entries(sentences)) {
    it(sentence, async () => {
      for (const [query, keys] of table()) await finds(query, keys);
    });
  }

  it('may be as many as a URL holds: they are answered or refused, never a 500', async () => {
    const numbers = Array.from({ length: 1200 }, (_, n) => n + 100);
    const many = [
      numbers.map((n) => `num!=${n}`).join('&'),
      numbers.map((n) => `num<${n}`).join('&'),
      numbers.map((n) => `text=${n}`).join('&'),
      `text!=${numbers.join(',')}`,
      `tags=${numbers.join(',')}`,
      `_id=${numbers.join(',')}`,
    ];
    for (const query of many) {
      const { status, text } = await things.call('GET', `?${query}`);
      assert.ok(status === 200 || status === 400, `${query.slice(0, 20)}: ${text}`);
    }
  });

  it('know a number beyond 2^53 among several', async () => {
    const large = 2 ** 62; // as JSON 4611686018427388000, which is another integer
    const made = await things.create({ key: 'e', text: 'large', num: large, sizes: [large] });
    await finds(`text=large&num!=1,${large}`, '');
    await finds(`sizes=${large}`, 'e');
    await finds(`sizes=${large},-5`, 'e');
    await finds(`text=large&sizes!=${large},-5`, '');
    await things.remove(made._id);
  });

  it('take a value that looks like an operator for what it is', async () => {
    const made = await things.create({ key: 'e', text: '>=5' });
    await finds('text=>=5', 'e');
    await finds('text=%3E%3D5', 'e');
    await things.remove(made._id);
  });
});

const refusals: Readonly<Record<string, readonly (readonly [string, ...string[]])[]>> = {
  'several values for a number are a 400': [
    ['num=1,2', 'num: must be a number'],
    ['num=1&num=2', 'num: takes one value, not 2'],
  ],
  'a number that does not parse is a 400 that says what to write': [
    ['num=,1', "num: must be a number, such as 12.5, not ',1'"],
    ['num>', 'num: must be'],
    ['num=ten', "not 'ten'"],
    ['num=0x10', 'num: must be'],
    ['num=Infinity', 'num: must be'],
    ['num=NaN', 'num: must be'],
    ['num=1e999', 'num: must be'],
    ['num>x', 'num: must be'],
    ['num!=1,x', "num: must be a number, such as 12.5, not 'x'"],
    ['sizes=x', 'sizes: must be a number'],
  ],
  'a boolean that does not parse is a 400 that says what to write': [
    ['flag=yes', "flag: must be true or false, not 'yes'"],
    ['flag=1', 'flag: must be'],
    ['flag=TRUE', 'flag: must be'],
    ['flag=true&flag=false', 'flag: takes one value'],
  ],
  '= and != on a date are a 400 that says what to write instead': [
    ['time=2026-01-01', "time: can't be filtered with '='", '>, >=, <, <=', 'time>=2026-01-01'],
    ['time!=2026-01-01', "time: can't be filtered with '!='"],
    ['_createdAt=2026-01-01', "_createdAt: can't be", '_createdAt>='],
    ['time>=yesterday', 'time: must be a date, such as 2026-01-02', "not 'yesterday'"],
    ['time>=2026-02-30', 'time: must be a date'],
  ],
  'an operator that a type does not take is a 400 that says which it takes': [
    ['text>a', "text: can't be filtered with '>': use =, !="],
    ['email>=a', 'email:', 'use =, !='],
    ['url<a', 'url:', 'use =, !='],
    ['content<=a', 'content:', 'use =, !='],
    ['flag>true', 'flag:', 'use =, !='],
    ['tags>a', 'tags:', 'use =, !='],
    ['sizes>1', 'sizes:', 'use =, !='],
    ['one>a', 'one:', 'use =, !='],
    ['many<a', 'many:', 'use =, !='],
    ['_id>a', '_id:', 'use =, !='],
  ],
  'everything that is wrong is reported at once': [
    ['num=x&flag=y&nme=z&page=0', 'num:', 'flag:', 'nme:', 'page:'],
  ],
};

describe('filters that are refused:', () => {
  for (const [sentence, table] of Object.entries(refusals)) {
    it(sentence, async () => {
      for (const [query, ...parts] of table) {
        assertRefused(await things.call('GET', `?${query}`), 400, ...parts);
      }
    });
  }
});
