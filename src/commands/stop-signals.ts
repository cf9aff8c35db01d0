/** Milliseconds in which a signal that comes again is the same one, sent by somebody else too. */
const repeats = 1_000;

/**
 * Calls `stop` at the first SIGTERM or SIGINT. A terminal sends one to the whole group, and whoever started this process (npm,
 * bin/vitrine.js) passes on its own: those do not count. One that comes later ends the process, as if nobody listened.
 */
export function onStopSignal(stop: () => void): void {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  let first: number | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now();
        stop();
      } else if (performance.now() - first > repeats) {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
      }
    });
  }
}
