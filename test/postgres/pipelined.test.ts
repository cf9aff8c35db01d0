import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Session } from '../../src/store/engines/postgres/connection/session.ts';
import { sharedPostgres } from '../postgres-server.ts';

it('statements that were sent together are all told what failed, not that something before them did', async () => {
  const timeouts = { statementTimeout: 5_000, lockTimeout: 5_000, connectTimeout: 5_000 };
  const session = new Session({ url: await sharedPostgres(), ...timeouts });
  const send = (text: string) => session.query(text, [], false);
  try {
    await session.command('BEGIN');
    const sent = [send('SELECT 1'), send('SELECT 1 / 0'), send('SELECT 2'), send('SELECT 3')];
    const codes = (await Promise.allSettled(sent)).map((answer) =>
      answer.status === 'rejected' ? answer.reason.code : 'done',
    );
    assert.deepEqual(codes, ['done', '22012', '22012', '22012']);
    await session.command('ROLLBACK');
    assert.deepEqual((await send('SELECT 4')).count, 1);
  } finally {
    session.destroy();
  }
});
