import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Outbox } from '../../../../channel.ts';
import { type Reply, readReply, writeReply } from './messages.ts';

function outbox(schedule: (flush: () => void) => void, most?: number) {
  const posted: string[] = [];
  const channel = { post: (text: string) => void posted.push(text), listen() {}, close: async () => {} };
  return { posted, outbox: new Outbox(channel, schedule, most) };
}

describe('messages to and from a writer', () => {
  it('go together where they come together, a line each, in order', async () => {
    const { posted, outbox: box } = outbox(queueMicrotask);
    for (const message of ['a', 'b', 'c']) box.add(message);
    assert.deepEqual(posted, []);
    await Promise.resolve();
    box.add('d');
    await Promise.resolve();
    assert.deepEqual(posted, ['a\nb\nc', 'd']);
  });

  it('do not wait for more than they may', () => {
    const flushes: (() => void)[] = [];
    const { posted, outbox: box } = outbox((flush) => void flushes.push(flush), 2);
    for (const message of ['a', 'b', 'c']) box.add(message);
    assert.deepEqual(posted, ['a\nb']);
    for (const flush of flushes) flush();
    assert.deepEqual(posted, ['a\nb', 'c']);
  });

  it('are the same at the other end, whatever they answer, and one line', () => {
    const answers = [
      '{"_id":"x"}',
      '',
      ' ',
      '7 {',
      'a\nb',
      '\n',
      '{"a":',
      null,
      true,
      3,
      ['a\nb'],
      { n: 1 },
      undefined,
    ];
    const replies: Reply[] = [
      ...answers.map((answer, n) => ({ n, ...(answer !== undefined && { answer }) })),
      { n: 41, progress: [1, 2] },
      { n: 42, error: { kind: 'stale' } },
    ];
    for (const reply of replies) {
      const line = writeReply(reply);
      assert.ok(!line.includes('\n'));
      assert.deepEqual(readReply(line), reply);
    }
  });
});
