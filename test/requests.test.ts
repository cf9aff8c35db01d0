import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { adminKey, type Reply, startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records, resultOf } from './support.ts';

const json = { 'content-type': 'application/json' };
const mebibyte = 1024 * 1024;
let app: TestApp;
let notes: Records;
let id: string;

before(async () => {
  app = await startApp();
  const fields = { title: { type: 'text' }, body: { type: 'content' }, n: { type: 'number' } };
  notes = new Records(app, `${await makeProject(app, definition('notes', fields))}/notes`);
  id = (await notes.create({ title: 'first' }))._id;
});
after(() => app.close());

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

async function send(
  body: Body,
  headers: Record<string, string> = json,
  to = app,
  verb = 'POST',
): Promise<Reply> {
  const path = verb === 'POST' ? notes.path : `${notes.path}/${id}`;
  const init = { method: verb, headers, body, duplex: 'half' };
  const response = await to.fetch(new Request(`http://vitrine.test${path}`, init as RequestInit));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** A body that comes in parts, of a length nobody announced. */
function stream(pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void | Promise<void>) {
  return new ReadableStream<Uint8Array>({ pull });
}

const bytes = (text: string) => new TextEncoder().encode(text);

const refusals: Readonly<Record<string, readonly (readonly [string | Uint8Array<ArrayBuffer>, string])[]>> = {
  'that is not JSON': [
    ['{', 'not valid JSON'],
    ['{"title":"x",}', 'not valid JSON'],
    ["{'title':'x'}", 'not valid JSON'],
    ['{"n":NaN}', 'not valid JSON'],
    ['{"n":01}', 'not valid JSON'],
    ['{"title":"a\nb"}', 'not valid JSON'],
    ['{} {}', 'not valid JSON'],
    ['title=x', 'not valid JSON'],
    ['{"title":"x', 'not valid JSON'],
  ],
  'that is empty': [
    ['', 'empty'],
    ['  \n', 'empty'],
  ],
  'that is not an object': [
    ['[]', 'must be a JSON object, not an array'],
    ['[{"title":"x"}]', 'not an array'],
    ['null', 'not null'],
    ['5', 'not a number'],
    ['"x"', 'not a string'],
    ['true', 'not a boolean'],
  ],
  'that has a key twice, however it is written': [
    ['{"title":"a","title":"b"}', 'title: is in the body twice'],
    ['{"title":"a","title":"a"}', 'title: is in the body twice'],
    ['{"title":"a","\\u0074itle":"b"}', 'title: is in the body twice'],
    ['{"t\\u0069tle":"a" , "n" : 1, "tit\\u006ce"\n:"b"}', 'title: is in the body twice'],
    ['{"n":{"a":1,"a":2}}', 'a: is in the body twice'],
    ['{"a; b":1,"a; b":2}', 'a;b: is in the body twice'],
  ],
  'that has a key __proto__, however it is written': [
    ['{"__proto__":{"title":"x"}}', '__proto__'],
    ['{"__pr\\u006fto__":1}', '__proto__'],
    ['{"title":{"__proto__":1}}', '__proto__'],
  ],
  'that is nested deeper than 32 levels': [
    [`{"title":${'['.repeat(32)}${']'.repeat(32)}}`, 'nested deeper than 32 levels'],
    [`{"title":${'{"a":'.repeat(32)}1${'}'.repeat(32)}}`, 'nested deeper than 32 levels'],
    [`{"title":${'['.repeat(500_000)}`, 'nested deeper than 32 levels'],
  ],
  'that is not UTF-8': [
    [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'UTF-8'],
    [new Uint8Array([...bytes('{"title":"'), 0xc0, 0xaf, ...bytes('"}')]), 'UTF-8'],
    [new Uint8Array([...bytes('{"title":"'), 0xed, 0xa0, 0x80, ...bytes('"}')]), 'UTF-8'],
    [new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), 'UTF-8'],
  ],
  'with a number that is not finite': [
    ['{"n":1e999}', 'n: must be a finite number'],
    ['{"n":-1e999}', 'n: must be a finite number'],
  ],
};

describe('a body is refused with a 400', () => {
  for (const [what, table] of Object.entries(refusals)) {
    it(what, async () => {
      for (const [body, message] of table) {
        assertRefused(await send(body), 400, message);
        assertRefused(await send(body, json, app, 'PATCH'), 400, message);
      }
      assert.equal(await notes.total(), 1);
      assert.equal((await notes.view(id)).title, 'first');
    });
  }

  it('that breaks off half-way', async () => {
    let sent = false;
    const broken = () =>
      stream((controller) => {
        if (sent) controller.error(new Error('connection reset'));
        else controller.enqueue(bytes('{"title":'));
        sent = true;
      });
    assertRefused(await send(broken()), 400, 'half-way');
    sent = false;
    assertRefused(await send(broken(), { ...json, 'content-length': '20' }), 400, 'half-way');
    assert.deepEqual(app.errors, []);
  });

  it('in management too', async () => {
    const call = async (body: string) => {
      const headers = { ...json, authorization: `Bearer ${adminKey}` };
      const request = new Request('http://vitrine.test/v1/_admin/projects', {
        method: 'POST',
        headers,
        body,
      });
      return (await app.fetch(request)).status;
    };
    assert.deepEqual(
      await Promise.all(['{', '', '[]', '{"id":"a","id":"b"}', '{"__proto__":1}'].map(call)),
      [400, 400, 400, 400, 400],
    );
  });
});

describe('a body is taken', () => {
  it('with 32 levels, which then meet the schema', async () => {
    assertRefused(await send(`{"title":${'['.repeat(31)}${']'.repeat(31)}}`), 400, 'title: must be a string');
  });

  it('with the same words in values, and brackets and quotes in strings', async () => {
    const title = `"title": "title" { [ ${'[{'.repeat(40)} \\`;
    const reply = await send(JSON.stringify({ title, body: 'title' }));
    assert.equal(resultOf(reply, 201).title, title);
    await notes.remove(String(reply.body.result._id));
  });

  it('in very many parts, between which others have their turn, also where it is refused', async () => {
    for (const [verb, status] of [
      ['POST', 201],
      ['PUT', 405],
    ] as const) {
      let left = 10_000;
      const parts = stream((controller) => {
        controller.enqueue(bytes(left === 1 ? '{}' : ' '));
        left -= 1;
        if (left === 0) controller.close();
      });
      let [turns, sending] = [0, true];
      const count = () => {
        turns += 1;
        if (sending) setImmediate(count);
      };
      setImmediate(count);
      const reply = await send(parts, { ...json, 'transfer-encoding': 'chunked' }, app, verb);
      sending = false;
      assert.equal(reply.status, status, reply.text);
      assert.ok(turns >= 100, `${verb}: others had ${turns} turns`);
      if (status === 201) await notes.remove(String(reply.body.result._id));
    }
  });

  it('in parts, also parted within a letter', async () => {
    const whole = bytes('{"title":"日本"}');
    let at = 0;
    const parts = stream((controller) => {
      if (at < whole.length) controller.enqueue(whole.slice(at, at + 1));
      else controller.close();
      at += 1;
    });
    const made = resultOf(await send(parts), 201);
    assert.equal(made.title, '日本');
    await notes.remove(String(made._id));
  });
});

describe('a body larger than 1 MiB is a 413', () => {
  const sized = (size: number) => {
    const frame = '{"body":""}';
    return `{"body":"${'x'.repeat(size - frame.length)}"}`;
  };

  it('by one byte, while one of 1 MiB is taken', async () => {
    for (const length of [{}, { 'content-length': String(mebibyte) }]) {
      const made = resultOf(await send(sized(mebibyte), { ...json, ...length }), 201);
      await notes.remove(String(made._id));
    }
    assertRefused(await send(sized(mebibyte + 1)), 413, String(mebibyte));
    const length = { 'content-length': String(mebibyte + 1) };
    assertRefused(await send(sized(mebibyte + 1), { ...json, ...length }), 413);
    assertRefused(await send(sized(mebibyte + 1), json, app, 'PATCH'), 413);
  });

  it('by its announcement, or by what has come of it; of the rest 256 MiB are read and thrown away', async () => {
    let pulled = 0;
    const endless = () =>
      stream((controller) => {
        pulled += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      });
    assertRefused(await send(endless()), 413);
    const most = 258 * mebibyte;
    assert.ok(pulled <= most, `${pulled}`);
    pulled = 0;
    assertRefused(await send(endless(), { ...json, 'content-length': '99999999' }), 413);
    assert.ok(pulled <= most, `${pulled}`);
  });

  it('or larger than another limit that was set', async () => {
    const small = await startApp({ limits: { body: { bytes: 200, depth: 3, timeout: 50 } } });
    try {
      await small.project('small', definition('notes', { title: { type: 'text' } }));
      const there = new Records(small, '/v1/small/notes');
      await there.create({ title: 'x'.repeat(188) });
      assertRefused(await there.call('POST', '', { title: 'x'.repeat(189) }), 413, '200');
      assertRefused(await there.call('POST', '', { title: [[[]]] }), 400, 'nested deeper than 3');
    } finally {
      await small.close();
    }
  });
});

describe('a body that never ends', () => {
  it('is refused when timeout is over', async () => {
    const small = await startApp({ limits: { body: { bytes: 100, depth: 3, timeout: 50 } } });
    try {
      await small.project(notes.path.split('/')[2] ?? '', definition('notes', { title: { type: 'text' } }));
      const stuck = stream(() => new Promise(() => {}));
      assertRefused(await send(stuck, json, small), 400, 'half-way');
    } finally {
      await small.close();
    }
  });
});

describe('a body is a 415', () => {
  it('where its Content-Type is not application/json', async () => {
    const body = bytes('{"title":"x"}');
    const wrong = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'text/json', ''];
    const others = ['application/json; charset=latin1', 'application/json; v=1; charset="utf-16"'];
    for (const type of [
      ...wrong,
      ...others,
      'application/json, text/plain',
      'multipart/form-data; boundary=x',
    ]) {
      assertRefused(await send(body, { 'content-type': type }), 415, 'application/json');
    }
    assertRefused(await send(body, {}), 415, 'application/json');
    assertRefused(await send(body, {}, app, 'PATCH'), 415);
    assert.equal(await notes.total(), 1);
  });

  it('not where it is written another way', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset="UTF-8"',
      'application/json; charset=utf8',
      'application/json; charset= utf-8',
      'application/json; charset = "UTF-8"',
      'application/json;',
      'application/json; odata.metadata=none; charset=utf-8',
      'application/json; profile="https://example.com/x"',
    ]) {
      const made = resultOf(await send('{"title":"x"}', { 'content-type': type }), 201);
      await notes.remove(String(made._id));
    }
  });

  it('where it is compressed', async () => {
    const zipped = new Uint8Array([0x1f, 0x8b, 8, 0]);
    for (const encoding of ['gzip', 'br', 'deflate', 'x']) {
      assertRefused(await send(zipped, { ...json, 'content-encoding': encoding }), 415, encoding);
    }
  });
});
