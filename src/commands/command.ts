import type { Runtime } from '../runtime/runtime.ts';
import type { FlagValues, Takes } from './flags.ts';

export interface Command extends Takes {
  readonly summary: string;
  /** Shown after the command's name in its help. */
  readonly usage: string;
  /** Shown below the flags in its help: exit codes, examples. */
  readonly notes?: string;
  /** Returns the exit code. */
  run(context: CommandContext): Promise<number>;
}

export interface CommandContext {
  readonly flags: FlagValues;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program and its arguments, to start it again. */
  readonly program: readonly string[];
  /** The version of Vitrine. */
  readonly version: string;
  readonly runtime: Runtime;
  /** Reads a line from standard input; at a terminal it prompts, without echo. */
  input(question: string): Promise<string>;
  /** Standard input as a stream. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Whether `out` may be coloured and `err` is a terminal. */
  readonly screen: Screen;
  out(text: string): void;
  /** The same for bytes, with backpressure. */
  write(bytes: Uint8Array): Promise<void>;
  err(text: string): void;
  /** Calls `stop` at the first SIGTERM or SIGINT; one that comes a second or more later ends the process. */
  onStop(stop: () => void): void;
}

export interface Screen {
  readonly colour: boolean;
  /** Whether a line of `err` can be overwritten. */
  readonly live: boolean;
}

/** The command can't do what was asked: one clear line, exit code 1. */
export class CommandFailure extends Error {}
