import { Readable } from 'node:stream';
import { CommandFailure } from '../command.ts';

/** Somebody wants the command to end. What was begun is dealt with first. */
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

/** What is read, until it ends or is stopped: also where nobody ever writes to standard input, and the next part never comes. */
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
    if (source instanceof Readable) source.destroy(); // open, it would keep the process
  }
}

/** A listener for each part: `Promise.race` with one promise for all of them would hold on to every part. */
function unlessStopped<T>(signal: AbortSignal, next: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Stopped());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    next.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
