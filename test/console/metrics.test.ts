import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { momentOf, quantile } from '../../console/screens/metrics/moments.ts';
import { readMetrics } from '../../console/screens/metrics/read-metrics.ts';
import { countRequest, operationNumber } from '../../src/metrics/counted.ts';
import { takeSnapshot } from '../../src/metrics/snapshot.ts';
import { metricsText } from '../../src/metrics/text.ts';
import { seed } from '../seed.ts';

/** Of a server without a pool, whatever other tests have opened in this process; or with one of which so many connections are used. */
const read = async (at: number, used?: number) => {
  const text = metricsText(await takeSnapshot(), { version: '1', runtime: 'x' });
  const pool = used === undefined ? '' : `vitrine_pool_used ${used}\n`;
  return readMetrics(text.replace(/^vitrine_pool_used .*\n/gm, '') + pool, at);
};

it('what the console draws is what the server counted between two readings', async () => {
  const before = await read(1_000);
  for (const ms of [2, 2, 2, 400]) countRequest(operationNumber('view'), ms === 400 ? 503 : 200, ms);
  countRequest(operationNumber('create'), 404, 2);
  const now = momentOf(await read(3_000), before);
  assert.deepEqual([now.requests, now.refused, now.failed], [2.5, 0.5, 0.5]);
  assert.ok(now.median !== null && now.median > 0.001 && now.median <= 0.0025, `${now.median}`);
  assert.ok(now.slow !== null && now.slow > 0.25 && now.slow <= 0.5, `${now.slow}`);
  assert.ok((now.memory ?? 0) > 1_000_000);
  assert.equal(now.connections, null, 'there is no pool here');
  assert.equal(momentOf(await read(4_000, 3), before).connections, 3);
});

it('of the first reading, and of a server that was started anew, nothing is made up', async () => {
  const first = await read(1_000);
  const { requests, median, failed } = momentOf(first, undefined);
  assert.deepEqual([requests, median, failed], [null, null, null]);
  const anew = { ...first, at: 2_000, requests: { '2xx': 0 }, within: [] };
  assert.equal(momentOf(anew, { ...first, requests: { '2xx': 5 } }).requests, null);
});

it(`a quantile is in the bucket that holds it (VITRINE_SEED=${seed})`, () => {
  const bounds = [0.001, 0.01, 0.1, 1, Number.POSITIVE_INFINITY];
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.00001, max: 10, noNaN: true }), { minLength: 1, maxLength: 50 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (times, share) => {
        const within = bounds.map((bound) => [bound, times.filter((time) => time <= bound).length] as const);
        const exact = times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0;
        const found = quantile(within, share) ?? Number.NaN;
        const upper = bounds.find((bound) => exact <= bound) ?? 0;
        const lower = bounds[bounds.indexOf(upper) - 1] ?? 0;
        assert.ok(found >= lower && found <= Math.min(upper, 1), `${found} of ${lower} to ${upper}`);
      },
    ),
    { seed, numRuns: 2_000 },
  );
});
