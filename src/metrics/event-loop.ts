import { setGauge } from './gauges.ts';

const look = 500;
const looks = 30;

/** Measures how long the event loop was blocked, by how late a timer fires. */
export function watchEventLoop(): void {
  const delays: number[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    delays.push(Math.max(0, now - last - look) / 1000);
    if (delays.length > looks) delays.shift();
    last = now;
  }, look);
  timer.unref();
  setGauge('eventLoopDelay', () => Math.max(0, ...delays));
}
