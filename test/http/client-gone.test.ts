import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { ReadTurn } from '../../src/access/turns.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Listener } from '../../src/runtime/runtime.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { bestOf } from '../best-of.ts';
import { startApp, type TestApp } from '../harness.ts';
import { definition } from '../support.ts';

let app: TestApp;
let listener: Listener;
let reading = Promise.withResolvers<void>();
let gone = Promise.withResolvers<number>();

/** A store whose distinct never ends by itself. */
function endless(engine: Engine): Engine {
  const distinct: Store['distinct'] = async (_, turn) => {
    const { signal } = turn as ReadTurn;
    reading.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        gone.resolve(performance.now());
        reject(new Error('the client went away'));
      });
    });
  };
  const openProject: Engine['openProject'] = async (id) =>
    instead(await engine.openProject(id), { distinct });
  return instead(engine, { openProject });
}

/** The same thing, but for these members. */
function instead<T extends object>(whole: T, members: Partial<T>): T {
  return new Proxy(whole, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

before(async () => {
  app = await startApp({ wrap: endless });
  await app.project('p', { ...definition('notes', { title: { type: 'text' } }), api: { access: 'public' } });
  const { listen } = await loadRuntime();
  listener = await listen({ host: '127.0.0.1', port: 0, fetch: app.fetch });
});
after(async () => {
  listener.abandon();
  await app.close();
});

describe('a client that goes away', () => {
  for (const host of ['Host: x', 'Host: a/b', 'Host: [']) {
    for (const method of ['GET', 'HEAD']) {
      it(`ends the read that it asked for (${method}, ${host})`, async () => {
        const took = await bestOf(async () => {
          [reading, gone] = [Promise.withResolvers(), Promise.withResolvers()];
          const socket = connect(listener.port, '127.0.0.1');
          socket.write(`${method} /v1/p/notes/distinct?fields=title HTTP/1.1\r\n${host}\r\n\r\n`);
          await reading.promise;
          const start = performance.now();
          socket.destroy();
          return (await gone.promise) - start;
        }, 250);
        assert.ok(took < 250, `${took} ms`);
      });
    }
  }
});
