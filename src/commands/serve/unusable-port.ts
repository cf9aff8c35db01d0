import { CommandFailure } from '../command.ts';
import { codeOf, reasonOf } from '../engine/reasons.ts';
import type { FlagValues } from '../flags.ts';

export function unusablePort(flags: FlagValues, error: unknown): CommandFailure {
  const why =
    codeOf(error) === 'EADDRINUSE'
      ? 'the port is taken: stop what uses it or choose another with --port'
      : reasonOf(error);
  return new CommandFailure(`can't listen on ${flags.text('host')}:${flags.text('port')}: ${why}`);
}
