import { spawn } from 'node:child_process';
import { Wire } from './wire.ts';

export interface StartOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A worker process, from the side of its parent. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  readonly wire: Wire;
  /** Resolves with how it ended, after all that it sent was received. */
  readonly over: Promise<string>;
  kill(): void;
}

/**
 * Starts a process with an IPC channel to this one. Strings are twice as fast in this serialization as in JSON, which would
 * quote our JSON texts again.
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
    if (child.pid !== undefined) return; // it is running, and a message to it was lost
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
