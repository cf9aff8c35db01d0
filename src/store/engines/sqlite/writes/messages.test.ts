import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atOnce } from '../../../../awaitable.ts';
import { Outbox } from '../../../../channel.ts';
import { Failure } from '../../../../failure.ts';
import { ProjectGone, StaleProfile, StaleSchema } from '../../../schema.ts';
import {
  type Ask,
  isBatchAsk,
  type Reply,
  readAsk,
  readBatchAsk,
  readReply,
  reviveError,
  sendError,
  writeAsk,
  writeBatchAsk,
  writeReply,
} from './messages.ts';

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
      { results: ['{"_id":"x y"}', '{}'], replayed: true },
      { results: [], replayed: false },
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

  it('ask for the same at the other end; the values of a new record come as they are to be stored', () => {
    const values = { title: 'a\tb\n"c"', none: null, list: [1, 'x'] };
    const plan = { collection: { key: 1, version: 2 }, id: 'i', at: 3, values, binding: {}, references: [] };
    const asks: Ask[] = [
      { n: 1, call: 'open', path: '/a\tb\n' },
      { n: 2, call: 'update', opened: 1, plan: { ...plan, scope: { kind: 'all' } } },
      { n: 3, call: 'deleteCollection', opened: 1, plan: plan.collection },
    ];
    for (const ask of asks) assert.deepEqual(readAsk(writeAsk(ask)), ask);
    const gone = { kind: 'delete', place: 'delete[0]', plan: { ...plan, scope: { kind: 'all' } } };
    const made = { kind: 'insert', place: 'create[0]', plan };
    const valuesJson = JSON.stringify(values);
    const asStored = { ...made, plan: { ...plan, valuesJson } };
    for (const [steps, read] of [
      [[], []],
      [
        [gone, made, made, gone],
        [gone, asStored, asStored, gone],
      ],
    ]) {
      const ask = {
        n: 5,
        call: 'batch',
        opened: 1,
        plan: { steps, authority: { kind: 'key', key: 'k' } },
      } as const;
      const line = atOnce(writeBatchAsk(ask));
      assert.ok(isBatchAsk(line) && !line.includes('\n'));
      assert.deepEqual(atOnce(readBatchAsk(line)), { ...ask, plan: { ...ask.plan, steps: read } });
    }
    const line = writeAsk({ n: 4, call: 'insert', opened: 1, plan });
    assert.ok(!line.includes('\n'));
    assert.deepEqual(readAsk(line), { n: 4, call: 'insert', opened: 1, plan: { ...plan, valuesJson } });
  });

  it('are the same errors at the other end', () => {
    for (const error of [
      new StaleSchema(),
      new StaleProfile(),
      new ProjectGone(),
      new Failure('conflict', 'taken'),
    ]) {
      const received = reviveError(JSON.parse(JSON.stringify(sendError(error))));
      assert.deepEqual([received.constructor, received.message], [error.constructor, error.message]);
    }
  });
});
