import type { Catalog } from '../../catalog/catalog.ts';
import { watchEventLoop } from '../../metrics/event-loop.ts';
import { setGauge } from '../../metrics/gauges.ts';

/** Milliseconds for which the sizes of files hold: with many projects there are many to look at. */
const sizesKept = 15_000;

/** What the metrics tell of this process. */
export function measureProcess(catalog: Catalog): void {
  watchEventLoop();
  setGauge('openProjects', () => catalog.openProjects);
}

/** What they tell of the data, which one process of several does. */
export function measureStorage(catalog: Catalog): void {
  let looked = Number.NEGATIVE_INFINITY;
  let sizes: ReturnType<Catalog['storageBytes']> | undefined;
  const look = () => {
    if (!sizes || performance.now() - looked > sizesKept) {
      looked = performance.now();
      sizes = catalog.storageBytes();
    }
    return sizes;
  };
  setGauge('databaseBytes', async () => (await look()).database);
  setGauge('walBytes', async () => (await look()).wal);
}
