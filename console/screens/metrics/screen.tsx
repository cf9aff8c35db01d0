import { useMemo } from 'preact/hooks';
import { countText } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote, Skeleton } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts.ts';
import { Chart } from './chart.tsx';
import { charts } from './charts.ts';
import { Figures } from './figures.tsx';
import type { Moment } from './moments.ts';
import type { Reading } from './read-metrics.ts';
import { useMoments } from './use-moments.ts';

const { metrics: words } = texts;

/** Charts of what the server does, from when the page was opened. */
export function MetricsScreen() {
  const { moments, reading, error, isPaused, goOn } = useMoments();
  // Some charts are for one engine only: SQLite has a write-ahead log, PostgreSQL connections.
  const shown = useMemo(() => charts.filter(({ lines }) => isThere(moments, lines[0]?.of)), [moments]);
  return (
    <Page title={words.title} intro={words.intro} wide>
      {error !== undefined && <ErrorNote message={error} />}
      {isPaused && (
        <div class="note warn" role="status">
          <p class="grow">{words.paused}</p>
          <Button onClick={goOn}>{words.goOn}</Button>
        </div>
      )}
      {reading ? (
        <>
          <Now reading={reading} />
          <div class="charts">
            {shown.map((shape) => (
              <Chart key={shape.title} shape={shape} moments={moments} />
            ))}
          </div>
          <Figures shapes={shown} moments={moments} />
        </>
      ) : (
        error === undefined && <Skeleton lines={8} />
      )}
    </Page>
  );
}

/** Charts of rates are shown from the start, although they are empty until the second reading. */
function isThere(moments: readonly Moment[], figure: keyof Moment | undefined): boolean {
  if (figure === undefined) return false;
  if (figure === 'wal' || figure === 'connections') return moments.some((moment) => moment[figure] !== null);
  return true;
}

/** The current values that have no chart. */
function Now({ reading: { gauges } }: { reading: Reading }) {
  const started = gauges.process_start_time_seconds;
  const counts = Object.entries(words.now).flatMap(([name, text]) => {
    const value = gauges[name];
    return value === undefined || Number.isNaN(value) ? [] : [{ name, text, value }];
  });
  return (
    <dl class="facts">
      {started !== undefined && Number.isFinite(started) && (
        <div>
          <dt>{words.started}</dt>
          <dd>
            <Time at={new Date(started * 1000).toISOString()} precise />
          </dd>
        </div>
      )}
      {counts.map(({ name, text, value }) => (
        <div key={name}>
          <dt>{text}</dt>
          <dd>{countText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
