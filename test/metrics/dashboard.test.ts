import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { takeSnapshot } from '../../src/metrics/snapshot.ts';
import { metricsText } from '../../src/metrics/text.ts';
import '../../src/metrics/counted.ts';
import { parseMetrics } from './exposition.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const names = (text: string) => new Set(text.match(/\b(?:vitrine|process)_[a-z_]+\b/g));

it('the dashboard and the page show every metric, and none that is not there', async () => {
  const metrics = parseMetrics(metricsText(await takeSnapshot(), { version: '1', runtime: 'x' }));
  const dashboard = JSON.parse(read('deploy/grafana/vitrine.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const asked = names(dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n'));
  const parts = [...metrics].flatMap(([name, { type }]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  for (const name of asked) assert.ok(parts.includes(name), `${name} is a series`);
  const bare = [...asked].map((name) => name.replace(/_(bucket|sum|count)$/, ''));
  const told = names(read('docs/operating.md'));
  for (const name of metrics.keys()) {
    assert.ok(bare.includes(name), `${name} is in the dashboard`);
    assert.ok(told.has(name), `${name} is in docs/operating.md`);
  }
});
