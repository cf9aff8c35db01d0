import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Listener } from '../../src/runtime/runtime.ts';
import { startApp, type TestApp } from '../harness.ts';
import { definition } from '../support.ts';
import { closed, readAnswer } from './world.ts';

let app: TestApp;
let listener: Listener;
before(async () => {
  app = await startApp({ limits: { body: { bytes: 100_000, depth: 32, timeout: 700 } } });
  await app.project('slow', {
    ...definition('notes', { title: { type: 'text' } }),
    api: { access: 'public' },
  });
  const { listen } = await loadRuntime();
  listener = await listen({ host: '127.0.0.1', port: 0, fetch: app.fetch });
});
after(async () => {
  listener.abandon();
  await app.close();
});

describe('a body of which a byte comes now and then', () => {
  for (const length of ['Content-Length: 50000', 'Transfer-Encoding: chunked']) {
    it(`is refused in time, and its connection closes (${length})`, async () => {
      const socket = connect(listener.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(
        `POST /v1/slow/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${length}\r\n\r\n`,
      );
      const sending = setInterval(() => socket.write(length.startsWith('T') ? '1\r\n{\r\n' : '{'), 100);
      let text = '';
      socket.on('data', (part) => (text += part));
      await closed(socket); // which never comes where it is waited for
      clearInterval(sending);
      assert.equal(readAnswer(text).status, 400, text);
      assert.match(readAnswer(text).body, /half-way/);
    });
  }
});
