import type { Runtime } from '../runtime/runtime.ts';
import type { FlagValues, Takes } from './flags.ts';

export interface Command extends Takes {
  readonly summary: string;
  /** Behind the command's name, in its help. */
  readonly usage: string;
  /** Below the flags, in its help: exit codes, examples. */
  readonly notes?: string;
  /** The exit code. */
  run(context: CommandContext): Promise<number>;
}

export interface CommandContext {
  readonly flags: FlagValues;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What was started and with which arguments, to start it once more. */
  readonly program: readonly string[];
  /** Of Vitrine. */
  readonly version: string;
  readonly runtime: Runtime;
  /** A line from standard input; a person at a terminal is asked for it, without echo. */
  input(question: string): Promise<string>;
  /** Standard input as it comes. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Is what goes to `out` (and to `err`) read at a terminal, and may it be in colour? */
  readonly screen: Screen;
  out(text: string): void;
  /** The same for bytes; waits where they are not taken yet. */
  write(bytes: Uint8Array): Promise<void>;
  err(text: string): void;
  /** Calls `stop` at the first SIGTERM or SIGINT; one that comes a second or more later ends the process. */
  onStop(stop: () => void): void;
}

export interface Screen {
  readonly colour: boolean;
  /** Whether a line of `err` can be written over. */
  readonly live: boolean;
}

/** What a command was asked to do can't be done: one clear line, exit code 1. */
export class CommandFailure extends Error {}
