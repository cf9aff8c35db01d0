import { texts } from '../../texts.ts';
import type { FigureName, Moment } from './moments.ts';

const { metrics: words } = texts;
const width = 300;
const height = 72;
/** The chart is at least this many moments wide: two minutes. */
const fewest = 25;
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

export interface ChartLine {
  readonly of: FigureName;
  readonly text: string;
}

export interface ChartShape {
  readonly title: string;
  readonly hint: string;
  readonly lines: readonly ChartLine[];
  readonly show: (value: number) => string;
}

/** One or two figures over time, as lines, with a description for screen readers. */
export function Chart({ shape, moments }: { shape: ChartShape; moments: readonly Moment[] }) {
  const { title, hint, lines, show } = shape;
  const values = (line: ChartLine) => moments.map((moment) => moment[line.of]);
  const known = lines.flatMap(values).filter((value) => value !== null);
  const top = Math.max(...known, 0);
  const since = moments[0]?.at;
  const nows = lines.map((line) => ({ ...line, now: values(line).at(-1) ?? null }));
  const tellNow = nows
    .map(({ text, now }) => `${text} ${now === null ? words.unknown : show(now)}`)
    .join(', ');
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <span class="quiet">{hint}</span>
      </figcaption>
      <div class="chart-now">
        {nows.map(({ of, text, now }, at) => (
          <span key={of}>
            <strong>{now === null ? '–' : show(now)}</strong>{' '}
            <span class={`quiet chart-name${at > 0 ? ' second' : ''}`}>{text}</span>
          </span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words.picture(title, tellNow, show(top))}
      >
        <line class="chart-base" x1={0} x2={width} y1={height - 1} y2={height - 1} />
        {lines.map((line, at) => (
          <g key={line.of} class={at > 0 ? 'second' : ''}>
            {runsOf(values(line), top).map((run) => (
              <Run key={run.at(-1)?.x} run={run} filled={at === 0} />
            ))}
          </g>
        ))}
      </svg>
      <p class="chart-foot quiet">
        <span>{since === undefined ? '' : words.since(clock.format(since))}</span>
        <span>{words.atMost(show(top))}</span>
      </p>
    </figure>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line without gaps; a single moment becomes a short dash. */
function Run({ run, filled }: { run: readonly Point[]; filled: boolean }) {
  const [first, ...rest] = run;
  if (!first) return null;
  const line = rest.length === 0 ? 'h-2' : rest.map(({ x, y }) => `L${round(x)} ${round(y)}`).join('');
  const path = `M${round(first.x)} ${round(first.y)}${line}`;
  const end = rest.at(-1) ?? first;
  return (
    <>
      {filled && rest.length > 0 && (
        <path
          class="chart-area"
          d={`${path}L${round(end.x)} ${height - 1}L${round(first.x)} ${height - 1}Z`}
        />
      )}
      <path class="chart-line" d={path} />
    </>
  );
}

const round = (at: number) => at.toFixed(1);

/** The newest value is at the right edge; unknown values make gaps. */
function runsOf(values: readonly (number | null)[], top: number): Point[][] {
  const step = width / Math.max(values.length - 1, fewest - 1);
  const runs: Point[][] = [[]];
  for (const [at, value] of values.entries()) {
    if (value === null) runs.push([]);
    else {
      const y = top === 0 ? height - 1 : height - 1 - (value / top) * (height - 4);
      runs.at(-1)?.push({ x: width - (values.length - 1 - at) * step, y });
    }
  }
  return runs.filter((run) => run.length > 0);
}
