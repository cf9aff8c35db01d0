import { type Family, families, seriesOf, width } from './cells.ts';
import { gauges } from './gauges.ts';
import type { Snapshot } from './snapshot.ts';

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** The metrics in the text format of Prometheus. `build`: labels such as the version. */
export function metricsText(
  { counts, gauges: values }: Snapshot,
  build: Readonly<Record<string, string>>,
): string {
  const info = ['vitrine_build_info', labelled(Object.entries(build)), ' 1\n'].join('');
  return [
    heading('vitrine_build_info', 'The version of Vitrine', 'gauge'),
    info,
    ...families.map((family) => familyText(family, counts)),
    ...gauges.map(
      ({ name, help, counts: grows }, index) =>
        `${heading(name, help, grows ? 'counter' : 'gauge')}${name} ${numeral(values[index] ?? Number.NaN)}\n`,
    ),
  ].join('');
}

const heading = (name: string, help: string, type: string) =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

function familyText(family: Family, counts: readonly number[]): string {
  const { name, help, bounds } = family;
  let text = heading(name, help, bounds ? 'histogram' : 'counter');
  for (let series = 0; series < seriesOf(family); series += 1) {
    const start = family.start + series * width(family);
    const labels = labelsOf(family, series);
    if (!bounds) text += `${name}${labelled(labels)} ${numeral(counts[start] ?? 0)}\n`;
    else text += histogram(name, labels, bounds, counts.slice(start, start + width(family)));
  }
  return text;
}

type Label = readonly [name: string, value: string];

/** The labels of the nth series; the last label varies fastest. */
function labelsOf({ labels }: Family, series: number): Label[] {
  let rest = series;
  return labels
    .toReversed()
    .map(([name, values]): Label => {
      const value = values[rest % values.length] ?? '';
      rest = Math.floor(rest / values.length);
      return [name, value];
    })
    .toReversed();
}

function histogram(
  name: string,
  labels: readonly Label[],
  bounds: readonly number[],
  cells: readonly number[],
): string {
  let total = 0;
  const lines = [...bounds, Number.POSITIVE_INFINITY].map((bound, bucket) => {
    total += cells[bucket] ?? 0;
    return `${name}_bucket${labelled([...labels, ['le', numeral(bound)]])} ${total}\n`;
  });
  const sum = numeral(cells.at(-1) ?? 0);
  return `${lines.join('')}${name}_sum${labelled(labels)} ${sum}\n${name}_count${labelled(labels)} ${total}\n`;
}

/** The values are our own, and none needs escaping. */
const labelled = (labels: readonly Label[]) =>
  labels.length === 0 ? '' : `{${labels.map(([name, value]) => `${name}="${value}"`).join(',')}}`;

function numeral(value: number): string {
  return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : '+Inf';
}
