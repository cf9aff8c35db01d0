import { useEffect, useRef, useState } from 'preact/hooks';
import { admin, messageOf } from '../../api.ts';
import { type Moment, momentOf } from './moments.ts';
import { type Reading, readMetrics } from './read-metrics.ts';

/** Milliseconds between two readings; the second one comes soon, for there is nothing to see of the first alone. */
const pause = 5_000;
const firstPause = 1_000;
/** An hour of them. */
const mostKept = 720;
/** Milliseconds without a hand on the page after which it asks no more: a screen that is left alone must not keep anybody signed in. */
const longestAlone = 10 * 60_000;

export interface Moments {
  readonly moments: readonly Moment[];
  /** The last reading as it came. */
  readonly reading: Reading | undefined;
  readonly error: string | undefined;
  readonly isPaused: boolean;
  goOn(): void;
}

/** Figures of the server from when the page was opened. */
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
