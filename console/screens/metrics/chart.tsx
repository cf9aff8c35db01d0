import { texts } from '../../texts.ts';
import type { FigureName, Moment } from './moments.ts';

const { metrics: words } = texts;
const width = 300;
const height = 72;

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

/** One figure or two over time, as a line each. What it shows is said in words too. */
export function Chart({ shape, moments }: { shape: ChartShape; moments: readonly Moment[] }) {
  const { title, hint, lines, show } = shape;
  const values = (line: ChartLine) => moments.map((moment) => moment[line.of]);
  const known = lines.flatMap(values).filter((value) => value !== null);
  const top = Math.max(...known, 0);
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
          <path key={line.of} class={at > 0 ? 'second' : ''} d={pathOf(values(line), top)} />
        ))}
      </svg>
      <p class="chart-top quiet">{words.atMost(show(top))}</p>
    </figure>
  );
}

/** From left to right, with a gap where nothing is known. */
function pathOf(values: readonly (number | null)[], top: number): string {
  const step = width / Math.max(values.length - 1, 1);
  let isOpen = false;
  return values
    .map((value, at) => {
      if (value === null) {
        isOpen = false;
        return '';
      }
      const y = top === 0 ? height - 1 : height - 1 - (value / top) * (height - 4);
      const begun = isOpen ? 'L' : 'M';
      isOpen = true;
      // One alone would be no line: it is drawn as a short one.
      const dot = begun === 'M' && (values[at + 1] ?? null) === null ? `h${Math.max(step / 4, 1)}` : '';
      return `${begun}${(at * step).toFixed(1)} ${y.toFixed(1)}${dot}`;
    })
    .join('');
}
