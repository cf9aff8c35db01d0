import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventStream } from './event-stream.ts';
import type { Follower } from './follower.ts';
import type { Services } from './services.ts';

const project = { id: 'p', cipher: { close: (text: string) => text } };
const wanted = { caller: { kind: 'nobody' } };
const follower = { project, wanted, authority: undefined, expires: 1e15, isGood: async () => true };

/** Opens a stream; `meanwhile` runs while the newest position is looked up. */
async function open(meanwhile: (client: AbortController, server: AbortController) => void) {
  const [client, server] = [new AbortController(), new AbortController()];
  const joined = new Set<object>();
  const feeds = {
    stopped: server.signal,
    newest: async () => {
      meanwhile(client, server);
      return { next: { pos: 1, mark: 1 }, cipher: project.cipher };
    },
    add: (stream: object) => void joined.add(stream),
    remove: (stream: object) => void joined.delete(stream),
    read: () => new Promise(() => {}),
    feedOf: () => ({ leave() {} }),
  };
  let released = 0;
  const response = await eventStream(
    { feeds } as unknown as Services,
    { ...follower, after: 'now' } as unknown as Follower,
    client.signal,
    () => {
      released += 1;
    },
  );
  assert.equal(released, 1);
  assert.equal(joined.size, 0);
  return response;
}

it('a client that leaves while its stream is being opened gives its turn back', async () => {
  await open((client) => client.abort());
});

it('a client that comes while the server stops is told where it is and when to come back, as those who were there', async () => {
  const response = await open((_, server) => server.abort());
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.match(await response.text(), /^: \n\nid: log 1 1\.\S+\nretry: \d+\n\n$/);
});
