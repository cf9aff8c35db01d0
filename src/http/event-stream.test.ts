import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventStream } from './event-stream.ts';
import type { Follower } from './follower.ts';
import type { Services } from './services.ts';

it('a client that leaves while its stream is being opened gives its turn back', async () => {
  const leaving = new AbortController();
  const joined = new Set<object>();
  const feeds = {
    newest: async () => {
      leaving.abort();
      return { pos: 1, mark: 1 };
    },
    add: (stream: object) => void joined.add(stream),
    remove: (stream: object) => void joined.delete(stream),
    read: () => new Promise(() => {}),
    feedOf: () => ({ leave() {} }),
  };
  const project = { id: 'p', cipher: { close: (text: string) => text } };
  const wanted = { caller: { kind: 'nobody' } };
  const follower = { project, wanted, authority: undefined, expires: 1e15, isGood: async () => true };
  let released = 0;
  await eventStream(
    { feeds } as unknown as Services,
    { ...follower, after: 'now' } as unknown as Follower,
    leaving.signal,
    () => {
      released += 1;
    },
  );
  assert.equal(released, 1);
  assert.equal(joined.size, 0);
});
