import assert from 'node:assert/strict';
import { it } from 'node:test';
import { restAfter, restLeft } from './schedule.ts';

it('a receiver that seems to be down is left alone for a minute at most, however the clock is set', () => {
  const [now, minute] = [1_800_000_000_000, 60_000];
  assert.equal(restAfter(49), 0);
  assert.equal(restAfter(1_000), minute);
  assert.equal(restLeft(undefined, now), 0);
  assert.equal(restLeft(now + minute, now), minute);
  assert.equal(restLeft(now, now), 0);
  assert.equal(restLeft(now + minute, now - 3_600_000), 0, 'set back by an hour');
});
