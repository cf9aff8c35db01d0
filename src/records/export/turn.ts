let last = Promise.resolve();

/**
 * Waits for a turn to make one part of one export. Between two parts, of whatever exports, the event loop
 * goes round once, so that other requests wait for one part at most: while the client takes the parts as
 * fast as they come, a stream would not let anything else in by itself.
 */
export function turn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
