import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Failure } from '../failure.ts';
import { type SenderOptions, WebhookSender } from './sender.ts';

/** What is logged where a look at the webhooks of a project fails. */
async function loggedOf(failure: Error): Promise<unknown[]> {
  const stop = new AbortController();
  const logged: unknown[] = [];
  const catalog = {
    coordination: { listWork: async () => [{ kind: 'webhooks', project: 'p', mark: null, knownFor: 0 }] },
    use() {
      setTimeout(() => stop.abort(), 10);
      return Promise.reject(failure);
    },
  };
  const log = {
    info: (line: string) => void logged.push(line),
    error: (_: string, error: unknown) => void logged.push(error),
  };
  const options = { catalog, log, now: Date.now, sending: {}, changes() {} } as unknown as SenderOptions;
  await new WebhookSender(options).run(stop.signal);
  return logged;
}

it('a database that is out of reach is no error of webhooks, anything else is', async () => {
  assert.deepEqual(await loggedOf(new Failure('unavailable', 'The database is out of reach')), []);
  const full = new Failure('unavailable', 'The database is too busy', { trouble: 'the disk is full' });
  assert.deepEqual(await loggedOf(full), ["webhooks can't be sent now: the disk is full"]);
  const bug = new Error('a bug');
  assert.deepEqual(await loggedOf(bug), [bug]);
});
