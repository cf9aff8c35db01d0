import type { Catalog } from '../../catalog/catalog.ts';
import { watchEventLoop } from '../../metrics/event-loop.ts';
import { setGauge } from '../../metrics/gauges.ts';

/** Milliseconds for which file sizes are cached, as many projects have many files. */
const sizesKept = 15_000;

/** Metrics of this process. */
export function measureProcess(catalog: Catalog): void {
  watchEventLoop();
  setGauge('openProjects', () => catalog.openProjects);
}

/** Metrics of the data, reported by only one of several processes. */
export function measureStorage(catalog: Catalog): void {
  let measuredAt = Number.NEGATIVE_INFINITY;
  let sizes: ReturnType<Catalog['storageBytes']> | undefined;
  const measure = () => {
    if (!sizes || performance.now() - measuredAt > sizesKept) {
      measuredAt = performance.now();
      sizes = catalog.storageBytes();
    }
    return sizes;
  };
  setGauge('databaseBytes', async () => (await measure()).database);
  setGauge('walBytes', async () => (await measure()).wal);
}
