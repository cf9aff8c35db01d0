import type { Runtime } from '../runtime/runtime.ts';
import type { Flags, FlagValues } from './flags.ts';

export interface Command {
  readonly summary: string;
  /** Behind the command's name, in its help. */
  readonly usage: string;
  readonly flags: Flags;
  /** The exit code. */
  run(context: CommandContext): Promise<number>;
}

export interface CommandContext {
  readonly flags: FlagValues;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly runtime: Runtime;
  /** A line from standard input; a person at a terminal is asked for it, without echo. */
  input(question: string): Promise<string>;
  out(text: string): void;
  err(text: string): void;
  /** Calls `stop` at the first SIGTERM or SIGINT. */
  onStop(stop: () => void): void;
}
