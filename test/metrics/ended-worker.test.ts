import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gauges } from '../../src/metrics/gauges.ts';
import type { Snapshot } from '../../src/metrics/snapshot.ts';
import { WorkerMetrics } from '../../src/runtime/shared-metrics.ts';

it('the processor time of a worker stays when it ends, its memory does not', async () => {
  const metrics = new WorkerMetrics();
  const own = (cpu: number): Snapshot => {
    const values: Readonly<Record<string, number>> = { cpu, memory: 1e15 };
    return { counts: [], gauges: gauges.map(({ key }) => values[key] ?? null) };
  };
  /** A worker that has taken so many seconds; gives what all have, and ends. */
  const work = (cpu: number) =>
    new Promise<Snapshot>((resolve) => {
      let end = () => {};
      let send = (_: object) => {};
      metrics.connect({
        post(text) {
          const { give, snapshot } = JSON.parse(text) as { give?: number; snapshot?: Snapshot };
          if (give !== undefined) send({ given: give, snapshot: own(cpu) });
          if (snapshot) {
            end();
            resolve(snapshot);
          }
        },
        async close() {},
        listen(receive, ended) {
          send = (message) => receive(JSON.stringify(message));
          end = ended;
        },
      });
      send({ ask: 1 });
    });
  const value = (snapshot: Snapshot, name: string) =>
    snapshot.gauges[gauges.findIndex(({ key }) => key === name)] ?? Number.NaN;
  const [first, second] = [await work(1_000), await work(2_000)];
  assert.ok(value(first, 'cpu') < 2_000);
  assert.ok(value(second, 'cpu') >= 3_000, `${value(second, 'cpu')} s`);
  assert.ok(value(second, 'memory') < 2e15);
});
