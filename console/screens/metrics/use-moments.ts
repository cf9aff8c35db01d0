import { useEffect, useRef, useState } from 'preact/hooks';
import { admin, messageOf } from '../../api.ts';
import { type Moment, momentOf } from './moments.ts';
import { type Reading, readMetrics } from './read-metrics.ts';

/** Milliseconds between two readings; the second comes sooner, because rates need two. */
const pause = 5_000;
const firstPause = 1_000;
/** An hour of readings. */
const mostKept = 720;
/** Milliseconds without input after which polling stops: an abandoned page must not keep the session alive. */
const longestAlone = 10 * 60_000;

export interface Moments {
  readonly moments: readonly Moment[];
  /** The last reading. */
  readonly reading: Reading | undefined;
  readonly error: string | undefined;
  readonly isPaused: boolean;
  goOn(): void;
}

/** Polls the server's metrics while the page is open. */
export function useMoments(): Moments {
  const [moments, setMoments] = useState<readonly Moment[]>([]);
  const [reading, setReading] = useState<Reading>();
  const [error, setError] = useState<string>();
  const [isPaused, setPaused] = useState(false);
  const last = useRef<Reading>(undefined);
  useEffect(() => {
    if (isPaused) return;
    const stop = new AbortController();
    const { signal } = stop;
    let touched = Date.now();
    const touch = () => {
      touched = Date.now();
    };
    for (const kind of ['pointermove', 'keydown', 'wheel'])
      addEventListener(kind, touch, { signal, passive: true });
    let timer: ReturnType<typeof setTimeout>;
    let taken = 0;
    const ask = async () => {
      if (Date.now() - touched > longestAlone) return setPaused(true);
      if (!document.hidden) await take();
      if (!signal.aborted) timer = setTimeout(ask, taken === 1 ? firstPause : pause);
    };
    const take = async () => {
      try {
        const now = readMetrics(await admin.metrics({ signal }), Date.now());
        const moment = momentOf(now, last.current);
        last.current = now;
        taken += 1;
        setReading(now);
        setMoments((known) => [...known, moment].slice(-mostKept));
        setError(undefined);
      } catch (caught) {
        if (!signal.aborted) setError(messageOf(caught));
      }
    };
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [isPaused]);
  return { moments, reading, error, isPaused, goOn: () => setPaused(false) };
}
