import { spawn } from 'node:child_process';
import { Wire } from './wire.ts';

export interface StartOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A worker as its parent sees it. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  readonly wire: Wire;
  /** Once it has ended and all that it sent was received: how it ended. */
  readonly over: Promise<string>;
  kill(): void;
}

/**
 * Starts a process that is connected with this one. Strings go twice as fast in this serialization as in JSON, in
 * which those of us that are JSON already would be quoted once more.
 */
export function startWorker({ command, environment }: StartOptions): WorkerProcess {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const { promise: received, resolve: receiveNoMore } = Promise.withResolvers<void>();
  child.once('disconnect', receiveNoMore);
  child.once('exit', (code, signal) => end(signal ? `was ended by ${signal}` : `ended with code ${code}`));
  child.once('error', (error) => {
    if (child.pid !== undefined) return; // it runs; a text for it was lost
    end(`could not be started: ${error.message}`);
    receiveNoMore();
  });
  return {
    pid: child.pid,
    wire: new Wire(child),
    over: received.then(() => ended),
    kill: () => void child.kill('SIGKILL'),
  };
}
