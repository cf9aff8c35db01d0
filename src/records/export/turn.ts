let last = Promise.resolve();

/**
 * Waits for a turn to make one part of one export. Between two parts, of any exports, the event loop runs once, so that other
 * requests wait for at most one part: a stream that the client reads as fast as it comes would let nothing else run.
 */
export function turn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
