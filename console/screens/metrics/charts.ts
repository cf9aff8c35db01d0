import { bytesText, countText } from '../../format.ts';
import { texts } from '../../texts.ts';
import type { ChartShape } from './chart.tsx';

const { metrics: words } = texts;

/** 0.0042 becomes `4.2 ms`. */
function durationText(seconds: number): string {
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  const ms = seconds * 1000;
  return `${ms >= 10 || ms === 0 ? Math.round(ms) : ms.toFixed(1)} ms`;
}

const rateText = (rate: number) => (rate >= 10 || rate === 0 ? countText(Math.round(rate)) : rate.toFixed(1));
const percentText = (share: number) => `${Math.round(share * 100)} %`;

export const charts: readonly ChartShape[] = [
  {
    ...words.charts.requests,
    lines: [{ of: 'requests', text: words.lines.requests }],
    show: rateText,
  },
  {
    ...words.charts.latency,
    lines: [
      { of: 'median', text: words.lines.median },
      { of: 'slow', text: words.lines.slow },
    ],
    show: durationText,
  },
  {
    ...words.charts.errors,
    lines: [
      { of: 'failed', text: words.lines.failed },
      { of: 'refused', text: words.lines.refused },
    ],
    show: rateText,
  },
  { ...words.charts.memory, lines: [{ of: 'memory', text: words.lines.memory }], show: bytesText },
  {
    ...words.charts.processor,
    lines: [{ of: 'processor', text: words.lines.processor }],
    show: percentText,
  },
  {
    ...words.charts.standstill,
    lines: [{ of: 'standstill', text: words.lines.standstill }],
    show: durationText,
  },
  { ...words.charts.wal, lines: [{ of: 'wal', text: words.lines.wal }], show: bytesText },
  {
    ...words.charts.connections,
    lines: [
      { of: 'connections', text: words.lines.connections },
      { of: 'waiting', text: words.lines.waiting },
    ],
    show: countText,
  },
];
