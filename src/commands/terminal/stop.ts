import { Readable } from 'node:stream';
import { CommandFailure } from '../command.ts';

/** Thrown when the command was told to stop, so that it cleans up first. */
export class Stopped extends CommandFailure {
  constructor() {
    super('it was stopped');
  }
}

/** Aborted at the first SIGTERM or SIGINT. */
export function stopSignal(onStop: (stop: () => void) => void): AbortSignal {
  const controller = new AbortController();
  onStop(() => controller.abort());
  return controller.signal;
}

export function requireGoingOn(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Stopped();
}

/** Iterates until the end or the signal, also if the next part never comes, as when nobody writes to standard input. */
export async function* untilStopped<T>(
  signal: AbortSignal,
  begin: () => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  requireGoingOn(signal);
  const source = begin();
  const parts = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await unlessStopped(signal, parts.next());
      if (done) return;
      yield value;
    }
  } finally {
    if (source instanceof Readable) source.destroy(); // otherwise it would keep the process running
  }
}

/** Uses a listener per part: `Promise.race` with one long-lived promise would keep every part in memory. */
function unlessStopped<T>(signal: AbortSignal, next: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Stopped());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    next.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
