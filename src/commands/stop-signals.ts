/** Milliseconds in which a repeated signal counts as the same one, passed on by another process. */
const repeats = 1_000;

/**
 * Calls `stop` at the first SIGTERM or SIGINT. A terminal sends it to the whole process group, and the process that started this
 * one (npm, bin/vitrine.js) passes it on too: such repetitions are ignored. A later signal ends the process as if not handled.
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
