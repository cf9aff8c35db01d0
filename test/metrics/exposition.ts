import assert from 'node:assert/strict';

export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}
export interface Metric {
  readonly type: string;
  readonly samples: Sample[];
}

const name = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const help = new RegExp(`^# HELP (${name}) (\\S.*)$`);
const type = new RegExp(`^# TYPE (${name}) (counter|gauge|histogram)$`);
const sample = new RegExp(`^(${name})(?:\\{(.*)\\})? (\\S+)$`);
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;

/** The text format of Prometheus, version 0.0.4, as strictly as its description has it. */
export function parseMetrics(text: string): Map<string, Metric> {
  const found = new Map<string, Metric>();
  const seen = new Set<string>();
  let helped = '';
  let current: { name: string; metric: Metric } | undefined;
  assert.ok(text.endsWith('\n'), 'the last line has an end');
  for (const line of text.slice(0, -1).split('\n')) {
    const about = help.exec(line)?.[1];
    if (about !== undefined) {
      helped = about;
      continue;
    }
    const [, typed, kind = ''] = type.exec(line) ?? [];
    if (typed !== undefined) {
      assert.equal(typed, helped, `${typed} has its help before its type`);
      assert.ok(!found.has(typed), `${typed} is in one place`);
      current = { name: typed, metric: { type: kind, samples: [] } };
      found.set(typed, current.metric);
      continue;
    }
    const [, of = '', labels = '', value = ''] = sample.exec(line) ?? assert.fail(`what is '${line}'?`);
    assert.ok(current, line);
    const bare = current.metric.type === 'histogram' ? of.replace(/_(bucket|sum|count)$/, '') : of;
    assert.equal(bare, current.name, `${line} is below its own type`);
    const series = line.slice(0, line.lastIndexOf(' '));
    assert.ok(!seen.has(series), `${series} is there once`);
    seen.add(series);
    current.metric.samples.push({ name: of, labels: readLabels(labels), value: readValue(value) });
  }
  for (const [of, metric] of found) verify(of, metric);
  return found;
}

function readLabels(text: string): Map<string, string> {
  const labels = new Map<string, string>();
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const [, key = '', value = ''] = label.exec(text) ?? assert.fail(`labels ${text}`);
    assert.ok(!labels.has(key), text);
    labels.set(key, value);
  }
  return labels;
}

function readValue(text: string): number {
  if (text === 'NaN' || text === '+Inf') return text === 'NaN' ? Number.NaN : Number.POSITIVE_INFINITY;
  assert.match(text, /^-?\d+(\.\d+)?(e[+-]?\d+)?$/);
  return Number(text);
}

function verify(of: string, { type: kind, samples }: Metric): void {
  assert.ok(samples.length > 0, `${of} has a sample`);
  if (kind === 'counter') for (const { value } of samples) assert.ok(value >= 0, of);
  if (kind === 'counter') assert.match(of, /_total$/);
  if (kind !== 'histogram') return;
  const groups = Map.groupBy(samples, ({ labels }) =>
    [...labels]
      .filter(([key]) => key !== 'le')
      .map(([key, value]) => `${key}=${value}`)
      .join(),
  );
  for (const [labels, group] of groups) {
    const buckets = group.filter(({ name: part }) => part.endsWith('_bucket'));
    const bounds = buckets.map((bucket) => readValue(bucket.labels.get('le') ?? ''));
    assert.deepEqual(
      bounds,
      [...new Set(bounds)].sort((a, b) => a - b),
    );
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY, of);
    for (const [index, { value }] of buckets.entries())
      assert.ok(value >= (buckets[index - 1]?.value ?? 0), `${of} ${labels} grows`);
    const count = group.find(({ name: part }) => part.endsWith('_count'));
    assert.equal(count?.value, buckets.at(-1)?.value, of);
    assert.ok(group.some(({ name: part }) => part.endsWith('_sum')));
  }
}

/** The sum over all series that have these labels. */
export function sumOf(
  metrics: ReadonlyMap<string, Metric>,
  of: string,
  labels: Record<string, string> = {},
): number {
  const samples = [...metrics.values()].flatMap((metric) => metric.samples);
  const matching = samples.filter(
    (each) =>
      each.name === of && Object.entries(labels).every(([key, value]) => each.labels.get(key) === value),
  );
  assert.ok(matching.length > 0, `${of} ${JSON.stringify(labels)}`);
  return matching.reduce((sum, { value }) => sum + value, 0);
}
