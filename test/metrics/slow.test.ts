import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type GaugeName, gauges, setGauge } from '../../src/metrics/gauges.ts';
import { takeSnapshot } from '../../src/metrics/snapshot.ts';

const readNow = async (name: GaugeName) =>
  (await takeSnapshot()).gauges[gauges.findIndex(({ key }) => key === name)];

it('metrics do not wait for a value that is long in coming: it is what it was, or not known', {
  timeout: 20_000,
}, async () => {
  let answer = Promise.withResolvers<number>();
  let asked = 0;
  setGauge('backupAge', () => {
    asked += 1;
    return answer.promise;
  });
  assert.deepEqual([await readNow('backupAge'), await readNow('backupAge')], [Number.NaN, Number.NaN]);
  assert.equal(asked, 1, 'it is not asked for again as long as it is under way');
  answer.resolve(7);
  await answer.promise;
  assert.equal(await readNow('backupAge'), 7);
  answer = Promise.withResolvers();
  assert.equal(await readNow('backupAge'), 7);
  answer.reject(new Error('out of reach'));
  await answer.promise.catch(() => {});
  answer = Promise.withResolvers();
  assert.equal(await readNow('backupAge'), Number.NaN);
  answer.resolve(8);
});
