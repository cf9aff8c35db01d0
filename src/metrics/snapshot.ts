import { countsNow } from './cells.ts';
import { combine, gauges, readGauges } from './gauges.ts';

/** All metrics of a process, or of several combined. In JSON an unknown value is null. */
export interface Snapshot {
  readonly counts: readonly number[];
  readonly gauges: readonly (number | null)[];
}

export async function takeSnapshot(): Promise<Snapshot> {
  return { counts: countsNow(), gauges: await readGauges() };
}

export function addUp(snapshots: readonly Snapshot[]): Snapshot {
  const counts = addCounts(snapshots.map((snapshot) => snapshot.counts));
  return {
    counts,
    gauges: gauges.map((gauge, index) =>
      combine(
        gauge.combine,
        snapshots.map((snapshot) => snapshot.gauges[index] ?? Number.NaN),
      ),
    ),
  };
}

/** The part that is kept of a process that has ended: everything that only grows. */
export function counted({ counts, gauges: values }: Snapshot): Snapshot {
  return { counts, gauges: gauges.map((gauge, index) => (gauge.counts ? (values[index] ?? null) : null)) };
}

function addCounts(all: readonly (readonly number[])[]): number[] {
  return countsNow().map((_, cell) => all.reduce((sum, counts) => sum + (counts[cell] ?? 0), 0));
}
