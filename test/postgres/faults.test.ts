import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import postgres from 'postgres';
import { Failure, messageWithTrouble } from '../../src/failure.ts';
import {
  CommitUnknown,
  ConnectionLost,
  mayConnectSoon,
  NoneFree,
  OutOfReach,
  translate,
} from '../../src/store/engines/postgres/connection/faults.ts';
import { StaleSchema } from '../../src/store/schema.ts';

function fault(code: string, message = 'as PostgreSQL says it'): Error {
  return Object.assign(new postgres.PostgresError(''), { code, message });
}

describe('an error of PostgreSQL', () => {
  const passing = {
    'that ends the connection': ['57P01', '57P02', '57P03', '53300', '08006', '08P01', '28P01', '3D000'],
    'that takes too long, or waits too long': ['57014', '55P03'],
    'that would pass when tried again': ['40001', '40P01'],
    'for want of room': ['53100', '53200', '53400'],
  };
  for (const [what, codes] of Object.entries(passing)) {
    it(`${what} is a 503 with Retry-After`, () => {
      for (const code of codes) {
        const told = translate(fault(code));
        assert.ok(told instanceof Failure, code);
        assert.equal(told.kind, 'unavailable', code);
        assert.ok((told.detail.retryAfter ?? 0) > 0, code);
        assert.ok(!told.message.includes('PostgreSQL says'), 'nothing of the database is told');
      }
    });
  }

  it('for want of room is for whoever runs the server to know of, with what PostgreSQL advises', () => {
    const told = translate(Object.assign(fault('53200', 'out of shared memory'), { hint: 'Do more.' }));
    assert.ok(told instanceof Failure);
    assert.equal(told.detail.trouble, 'PostgreSQL says: out of shared memory (Do more.)');
    assert.equal((translate(fault('55P03')) as Failure).detail.trouble, undefined);
    const late = new ConnectionLost(new OutOfReach('no answer in time'), true);
    assert.equal((translate(late) as Failure).detail.trouble, 'PostgreSQL: no answer in time');
    assert.equal((translate(new ConnectionLost()) as Failure).detail.trouble, undefined);
    assert.equal(messageWithTrouble(told), `${told.message} (${told.detail.trouble})`);
  });

  it('that it may not be written says that, and not that it is busy', () => {
    const told = translate(fault('25006', 'cannot execute INSERT in a read-only transaction'));
    assert.ok(told instanceof Failure && told.kind === 'unavailable');
    assert.match(
      told.message,
      /^The database is read-only right now, and nothing was saved: try again once /,
    );
    assert.ok((told.detail.retryAfter ?? 0) > 0);
    assert.equal(told.detail.trouble, 'PostgreSQL says: cannot execute INSERT in a read-only transaction');
  });

  it('of the socket or the driver is one too', () => {
    for (const code of ['ECONNREFUSED', 'ECONNRESET', 'CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'ENOTFOUND']) {
      const told = translate(Object.assign(new Error('connect'), { code }));
      assert.ok(told instanceof Failure && told.kind === 'unavailable', code);
    }
    for (const error of [new ConnectionLost(), new OutOfReach(), new CommitUnknown(undefined)]) {
      const told = translate(error);
      assert.ok(told instanceof Failure && told.kind === 'unavailable');
      assert.equal(told.detail.retryAfter === undefined, error instanceof CommitUnknown, 'done or not');
    }
  });

  it('is waited for at the start where it may pass by itself', () => {
    const timeout = Object.assign(new Error('connect'), { code: 'CONNECT_TIMEOUT' });
    for (const error of [fault('57P03'), fault('53300'), timeout, new OutOfReach(), new NoneFree()])
      assert.ok(mayConnectSoon(error), error.message);
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    for (const error of [fault('28P01'), fault('3D000'), fault('42501'), refused, new Error('else')])
      assert.ok(!mayConnectSoon(error), error.message);
  });

  it('about a table that is gone means another schema', () => {
    assert.ok(translate(fault('42P01')) instanceof StaleSchema);
    assert.ok(translate(fault('3F000')) instanceof StaleSchema);
    assert.ok(translate(fault('XX000', 'could not open relation with OID 16412')) instanceof StaleSchema);
  });

  it('that nobody knows stays what it is', () => {
    for (const error of [fault('42601'), fault('XX000'), fault('22P02'), new Error('ECONNREFUSED'), 'text']) {
      assert.equal(translate(error), error);
    }
  });
});
