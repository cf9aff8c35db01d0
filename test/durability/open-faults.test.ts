import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import type { Answer } from './client.ts';
import type { Fault } from './faulty.ts';
import { type FaultyApp, startFaultyApp } from './faulty-app.ts';

/** Busy, an I/O error, a full disk, a file that can't be opened. */
const codes = [5, 10, 13, 14];

let app: FaultyApp;
beforeEach(async () => {
  app = await startFaultyApp();
});
afterEach(() => app.close());

function assertUnavailable({ status, retryAfter, text }: Answer, told: string): void {
  assert.deepEqual([status, retryAfter !== null], [503, true], `${told}: ${text}`);
}

/** A deed that was done is answered as done, also where the audit can't be told of it. */
const isDone = (ran: readonly string[]) => {
  const deed = ran.findIndex((text) => text.startsWith('UPDATE projects'));
  return deed >= 0 && ran.indexOf('COMMIT', deed) > deed;
};

/** Each statement that a request runs fails once, under each code; then the request is answered. */
async function everyStatement(
  prepare: () => Promise<void>,
  request: () => Promise<Answer>,
  applies: Fault['applies'],
): Promise<void> {
  const failed: string[] = [];
  for (const code of codes) {
    for (let after = 0; after < 60; after++) {
      await prepare();
      const seen: string[] = [];
      const watched: Fault['applies'] = (text, path) => {
        if (!applies(text, path)) return false;
        seen.push(text.trim().replace(/\s+/g, ' ').slice(0, 80));
        return true;
      };
      app.driver.arm({ code, rollsBack: false, applies: watched, after, times: 1 });
      const answer = await request();
      const { thrown } = app.driver.mend();
      if (thrown === 0) break;
      const told = `${seen[after]}: ${answer.status}`;
      const refused = answer.status === 503 && answer.retryAfter !== null;
      if (!refused && !(answer.status < 300 && isDone(seen.slice(0, after)))) failed.push(told);
      const again = await request();
      if (again.status >= 300) failed.push(`${told}, then ${again.status} ${again.text}`);
    }
  }
  assert.deepEqual([...new Set(failed)], []);
}

describe('a disk that fails when a project is opened', () => {
  it('is a 503 whatever statement it fails at, and the next request opens it', async () => {
    await everyStatement(
      () => app.reopen(),
      () => app.call('GET', '/v1/p/items'),
      (_, path) => path === app.file,
    );
  });

  it('leaves no connection open', async () => {
    for (let after = 0; after < 25; after++) {
      await app.reopen();
      const before = app.driver.openNow;
      const applies = (_: string, path: string) => path === app.file;
      app.driver.arm({ code: 10, rollsBack: false, applies, after, times: 1 });
      const { status } = await app.call('GET', '/v1/p/items');
      app.driver.mend();
      assert.equal((await app.call('GET', '/v1/p/items')).status, 200);
      assert.equal(app.driver.openNow, before + 2, `${after} statements after the start`);
      if (status === 200) break;
    }
  });
});

describe('a disk that fails under the instance', () => {
  const requests: Readonly<Record<string, () => Promise<Answer>>> = {
    'GET /readyz': () => app.call('GET', '/readyz'),
    'GET projects': () => app.call('GET', '/v1/_admin/projects'),
    'GET a project': () => app.call('GET', '/v1/_admin/projects/p'),
    'PATCH a project': () => app.call('PATCH', '/v1/_admin/projects/p', { name: 'P' }),
    'GET records of a project that is not open': () => app.call('GET', '/v1/p/items'),
  };
  for (const [name, request] of Object.entries(requests)) {
    it(`${name} is a 503, and is answered afterwards`, async () => {
      await everyStatement(
        () => app.reopen(),
        request,
        (_, path) => path.endsWith('instance.db'),
      );
    });
  }
});

describe('a disk that fails while management writes', () => {
  it('a project is not there after a 503, and can be made then', async () => {
    for (const code of codes) {
      for (let after = 0; after < 8; after++) {
        const id = `made-${code}-${after}`;
        const applies = (text: string) => text === 'open' || /^\s*(INSERT|CREATE|COMMIT|BEGIN)/.test(text);
        app.driver.arm({ code, rollsBack: false, applies, after, times: 1 });
        const first = await app.call('POST', '/v1/_admin/projects', { id });
        const { thrown } = app.driver.mend();
        if (thrown === 0) break;
        assertUnavailable(first, `${code} at ${after}`);
        assert.equal((await app.call('GET', `/v1/_admin/projects/${id}`)).status, 404);
        assert.equal((await app.call('POST', '/v1/_admin/projects', { id })).status, 201);
      }
    }
  });

  it('a collection is not there after a 503, and can be made then', async () => {
    const path = '/v1/_admin/projects/p/collections';
    for (const code of codes) {
      for (let after = 0; after < 40; after++) {
        const body = { id: `c-${code}-${after}`, fields: { a: { type: 'text' } } };
        const applies = (text: string, at: string) =>
          at === app.file && !/^\s*(SELECT|PRAGMA|SAVEPOINT)/.test(text);
        app.driver.arm({ code, rollsBack: code === 13, applies, after, times: 1 });
        const first = await app.call('POST', path, body);
        const { thrown } = app.driver.mend();
        if (thrown === 0) break;
        if (first.status === 201) continue; // the background met the fault
        assertUnavailable(first, `${code} at ${after}`);
        assert.equal((await app.call('GET', `${path}/${body.id}`)).status, 404);
        assert.equal((await app.call('POST', path, body)).status, 201);
        assert.equal((await app.call('POST', `/v1/p/${body.id}`, { a: 'x' })).status, 201);
      }
    }
  });

  it('a change of a collection is made whole or not at all, with 200 or 503, and can be made then', async () => {
    const path = '/v1/_admin/projects/p/collections';
    for (const [number, code] of codes.entries()) {
      const id = `changing-${code}`;
      const fields: Record<string, Json> = {
        a: { type: 'text' },
        list: { type: 'list', of: { type: 'text' } },
      };
      assert.equal((await app.call('POST', path, { id, fields })).status, 201);
      const create = [{ a: 'one', list: ['x', 'y'] }, { a: 'two' }];
      assert.equal((await app.call('POST', `/v1/p/${id}/batch`, { create })).status, 200);
      // Under each code at every fourth place, another one each.
      for (let after = number; after < 120; after += 4) {
        fields[`f${after}`] = { type: 'number', default: after };
        const applies = (text: string, at: string) => at === app.file && !/^SAVEPOINT/.test(text);
        app.driver.arm({ code, rollsBack: code === 13, applies, after, times: 1 });
        const first = await app.call('PUT', `${path}/${id}`, { id, fields });
        const { thrown } = app.driver.mend();
        if (first.status !== 200) assertUnavailable(first, `${code} at ${after}`);
        const again = await app.call('PUT', `${path}/${id}`, { id, fields });
        assert.equal(again.status, 200, again.text);
        const records = await app.call('GET', `/v1/p/${id}?f${after}=${after}&search=o`);
        assert.equal(
          (JSON.parse(records.text) as { result: { total: number } }).result.total,
          2,
          records.text,
        );
        if (thrown === 0) break;
      }
    }
  });
});
