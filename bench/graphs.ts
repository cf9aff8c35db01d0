import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from './report.ts';

/** Side by side in a graph: from the left edge to the end of the longest bar, in pixels. */
const sizes = { names: 185, bars: 420, figures: 170, bar: 16, gap: 4, head: 34 };

const colours: Readonly<Record<string, string>> = {
  product: '#2f6feb',
  bare: '#9aa4b2',
  'hand-written': '#b98a2f',
  pocketbase: '#7a52a8',
  trailbase: '#2f8f6b',
};

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;');

/**
 * Requests a second of each server at one workload. Each decade is as long as the next, as peers are often a hundred times
 * apart.
 */
function graphOf(work: string, lines: readonly Line[]): string {
  const { names, bars, figures, bar, gap, head } = sizes;
  const most = Math.max(...lines.map(({ measured }) => measured.perSecond), 10);
  const widthOf = (value: number) => Math.max(2, (Math.log10(Math.max(1, value)) / Math.log10(most)) * bars);
  const height = head + lines.length * (bar + gap) + gap;
  const width = names + bars + figures;
  const rows = lines.map(({ measured: { label, perSecond, p99 } }, index) => {
    const y = head + index * (bar + gap);
    const length = widthOf(perSecond);
    const figure = `${Math.round(perSecond).toLocaleString('en')}/s, p99 ${(p99 / 1_000).toFixed(1)} ms`;
    return `
  <text x="${names - 8}" y="${y + 12}" text-anchor="end">${escaped(label)}</text>
  <rect x="${names}" y="${y}" width="${length.toFixed(1)}" height="${bar}" rx="2" fill="${colours[label] ?? '#c0c6cf'}"/>
  <text x="${(names + length + 6).toFixed(1)}" y="${y + 12}">${figure}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#3b4252">
  <title>${escaped(work)}: requests a second of each server</title>
  <rect width="${width}" height="${height}" fill="#ffffff"/>
  <text x="8" y="20" font-size="14" font-weight="600">${escaped(work)}: requests a second, each decade as long as the next</text>${rows.join('')}
</svg>
`;
}

/** One for each workload; gives back where they are, within the repository. */
export function writeGraphs(lines: readonly Line[]): string {
  const directory = join(import.meta.dir, 'graphs');
  mkdirSync(directory, { recursive: true });
  for (const work of new Set(lines.map((line) => line.work))) {
    const name = work
      .toLowerCase()
      .replace(/[^a-z-]+/g, '-')
      .replace(/-$/, '');
    const graph = graphOf(
      work,
      lines.filter((line) => line.work === work),
    );
    writeFileSync(join(directory, `${name}.svg`), graph);
  }
  return 'bench/graphs';
}
