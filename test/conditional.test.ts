import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Json } from '../src/model/json.ts';
import { type Reply, startApp, type TestApp } from './harness.ts';
import {
  asAdmin,
  assertRefused,
  definition,
  makeProject,
  Records,
  type Row,
  resultOf,
  strangerId,
} from './support.ts';

/** Everything happens within one millisecond. */
const fixed = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

let app: TestApp;
let path: string;
let notes: Records;
let note: Row;
let etag: string;

before(async () => {
  app = await startApp({ now: () => fixed });
  path = await makeProject(
    app,
    definition('notes', { text: { type: 'text' }, other: { type: 'relation', to: 'notes' } }),
    definition(
      'owned',
      { text: { type: 'text' } },
      { api: { access: 'user', methods: { create: { access: 'public' } } } },
    ),
  );
  notes = new Records(app, `${path}/notes`);
});
after(() => app.close());
beforeEach(async () => {
  note = await notes.create({ text: 'first' });
  etag = tagOf(await send('GET'));
});

const send = (
  verb: string,
  headers: Record<string, string> = {},
  body?: Json,
  id = note._id,
): Promise<Reply> => app.call(verb, `${notes.path}/${id}`, { headers, body });

/** The reply's ETag, which must be a strong one. */
function tagOf({ headers }: Reply): string {
  const tag = headers.get('etag');
  assert.match(tag ?? 'none', /^"[\x21\x23-\x7e]+"$/);
  return tag ?? '';
}

const textNow = async () => (await notes.view(note._id)).text;

describe('ETag', () => {
  it('is on View, Create and Update, and is the same for the same version', async () => {
    const created = await app.call('POST', notes.path, { body: { text: 'x' } });
    const id = String(resultOf(created, 201)._id);
    const viewed = await send('GET', {}, undefined, id);
    assert.equal(tagOf(viewed), tagOf(created));
    const updated = await send('PATCH', {}, { text: 'y' }, id);
    assert.notEqual(tagOf(updated), tagOf(created));
    assert.equal(tagOf(await send('GET', {}, undefined, id)), tagOf(updated));
  });

  it('is the same for HEAD, and for another caller', async () => {
    const head = await send('HEAD');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(tagOf(head), etag);
    assert.equal(tagOf(await app.call('GET', `${notes.path}/${note._id}`, asAdmin)), etag);
  });

  it('survives a restart', async () => {
    await app.reopen();
    assert.equal(tagOf(await send('GET')), etag);
  });

  it('changes with every change, also within one millisecond', async () => {
    const tags = new Set([etag]);
    for (let count = 1; count <= 20; count++) {
      tags.add(tagOf(await send('PATCH', {}, { text: `${count % 2}` })));
      assert.equal(tags.size, count + 1);
    }
  });

  it('changes when a deletion elsewhere clears a relation, and when a batch changes the record', async () => {
    const target = await notes.create({ text: 'target' });
    const linked = tagOf(await send('PATCH', {}, { other: target._id }));
    await notes.remove(target._id);
    const cleared = tagOf(await send('GET'));
    assert.notEqual(cleared, linked);
    resultOf(await notes.call('POST', '/batch', { update: [{ _id: note._id, text: 'in a batch' }] }));
    assert.notEqual(tagOf(await send('GET')), cleared);
  });

  it('stays while other records change and when a change is refused', async () => {
    await notes.create({ text: 'another' });
    assertRefused(await send('PATCH', {}, { text: 5 }), 400);
    assertRefused(await send('PATCH', {}, { other: strangerId }), 400);
    assert.equal(tagOf(await send('GET')), etag);
  });

  it('is on no list, no deletion and no refusal', async () => {
    assert.equal((await app.call('GET', notes.path)).headers.get('etag'), null);
    assert.equal((await send('GET', {}, undefined, strangerId)).headers.get('etag'), null);
    assert.equal((await send('DELETE')).headers.get('etag'), null);
  });

  it('can be read and sent by a browser app on another origin', async () => {
    const exposed = (await send('GET')).headers.get('access-control-expose-headers') ?? '';
    assert.ok(exposed.toLowerCase().split(/, */).includes('etag'), exposed);
    const known = await send('GET', { 'if-none-match': etag });
    assert.equal(known.headers.get('access-control-allow-origin'), '*');
    const preflight = await send('OPTIONS');
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(/, */) ?? [];
    for (const name of ['if-match', 'if-none-match', 'idempotency-key'])
      assert.ok(allowed.includes(name), name);
  });
});

describe('If-None-Match on View', () => {
  /** Each with E for the record's ETag. */
  const known = ['E', '*', 'W/E', '"x", E', 'E, "x"', '"x",W/E,"y"', '  E  ', '"x" , E', '"a,b", E', '"", E'];
  for (const header of known) {
    it(`${header} is a 304 with the ETag and no body`, async () => {
      for (const verb of ['GET', 'HEAD']) {
        const reply = await send(verb, { 'if-none-match': header.replace('E', etag) });
        assert.equal(reply.status, 304, reply.text);
        assert.equal(reply.text, '');
        assert.equal(tagOf(reply), etag);
        assert.equal(reply.headers.get('content-type'), null);
      }
    });
  }

  for (const header of ['"x"', 'W/"x"', '"x", "y"', '""', '"*"']) {
    it(`${header} is a 200 with the record`, async () => {
      const reply = await send('GET', { 'if-none-match': header });
      assert.deepEqual(resultOf(reply), note);
      assert.equal(tagOf(reply), etag);
    });
  }

  it('is a 200 again after a change', async () => {
    assert.equal((await send('GET', { 'if-none-match': etag })).status, 304);
    await notes.update(note._id, { text: 'second' });
    assert.equal(resultOf(await send('GET', { 'if-none-match': etag })).text, 'second');
  });

  it('of what is no ETag is a 400', async () => {
    for (const header of ['x', 'W/x', '"x', 'x"', "'x'", 'w/"x"', '"x" "y"', '"x"y']) {
      assertRefused(await send('GET', { 'if-none-match': header }), 400, /if-none-match/i);
    }
  });

  it('comes after the access and the record: 401 and 404 stay what they are', async () => {
    assertRefused(await send('GET', { 'if-none-match': '*' }, undefined, strangerId), 404);
    const owned = await new Records(app, `${path}/owned`).create({ text: 'x' });
    const reply = await app.call('GET', `${path}/owned/${owned._id}`, { headers: { 'if-none-match': '*' } });
    assertRefused(reply, 401);
  });

  it('304 of a HEAD announces no length that the record does not have', async () => {
    const { headers, text } = await send('GET');
    const length = headers.get('content-length') ?? String(Buffer.byteLength(text));
    const head = await send('HEAD', { 'if-none-match': etag });
    assert.ok([null, length].includes(head.headers.get('content-length')), 'RFC 9110, 8.6');
  });
});

describe('If-Match on Update and Delete', () => {
  const verbs = ['PATCH', 'DELETE'] as const;
  const change = (verb: string, header: string, id = note._id) =>
    send(verb, { 'if-match': header }, verb === 'PATCH' ? { text: 'changed' } : undefined, id);

  for (const verb of verbs) {
    for (const header of ['E', '*', '"x", E', 'E,"x"', ' E ', '"a,b", E']) {
      it(`${verb} with ${header} goes through`, async () => {
        resultOf(await change(verb, header.replace('E', etag)));
        if (verb === 'PATCH') assert.equal(await textNow(), 'changed');
        else assertRefused(await send('GET'), 404);
      });
    }

    // If-Match compares strongly: a weak tag never matches (RFC 9110, 13.1.1).
    for (const header of ['"x"', '"x", "y"', 'W/E', '""', '"*"']) {
      it(`${verb} with ${header} is a 412 and changes nothing`, async () => {
        assertRefused(await change(verb, header.replace('E', etag)), 412, 'changed');
        assert.deepEqual(await notes.view(note._id), note);
        assert.equal(tagOf(await send('GET')), etag);
      });
    }

    it(`${verb} with the ETag of an older version is a 412; with the newer one it goes through`, async () => {
      const newer = tagOf(await send('PATCH', {}, { text: 'second' }));
      assertRefused(await change(verb, etag), 412);
      assert.equal(await textNow(), 'second');
      resultOf(await change(verb, newer));
    });

    it(`${verb} with what is no ETag is a 400 and changes nothing`, async () => {
      for (const header of ['x', '"x', 'x"', "'x'", 'W/x', '"x" "y"', note._updatedAt]) {
        assertRefused(await change(verb, header), 400, /if-match/i);
      }
      assert.deepEqual(await notes.view(note._id), note);
    });

    it(`${verb} of a record that is not there is a 404`, async () => {
      for (const header of ['*', etag]) assertRefused(await change(verb, header, strangerId), 404);
    });

    it(`${verb}: of twenty at the same moment with one ETag exactly one goes through`, async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => change(verb, etag)));
      const statuses = replies.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
      const rest = verb === 'PATCH' ? 412 : 404;
      assert.equal(statuses.filter((status) => status === rest).length, 19, statuses.join());
    });
  }

  it('an Update and a Delete at the same moment with one ETag: whichever is first wins', async () => {
    const [updated, removed] = await Promise.all([change('PATCH', etag), change('DELETE', etag)]);
    const statuses = `${updated.status} ${removed.status}`;
    assert.ok(statuses === '200 412' || statuses === '404 200', statuses);
  });

  it('a read, a change and a write with the ETag of the answer can go on and on', async () => {
    let tag = etag;
    for (let count = 0; count < 5; count++) tag = tagOf(await change('PATCH', tag));
    assertRefused(await change('DELETE', etag), 412);
    resultOf(await change('DELETE', tag));
  });

  it('comes after the body: a payload that breaks a rule is a 400, whatever the ETag', async () => {
    assertRefused(await send('PATCH', { 'if-match': '"x"' }, { nonsense: 1 }), 400, 'nonsense');
  });
});
