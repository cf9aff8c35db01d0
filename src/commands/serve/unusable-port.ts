import { CommandFailure } from '../command.ts';
import { codeOf, reasonOf } from '../engine/reasons.ts';
import type { FlagValues } from '../flags.ts';

const noAddress = 'this machine has no such address: choose another with --host';

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'the port is taken: stop what uses it or choose another with --port'],
  [
    'EACCES',
    'the system does not allow it: choose a port from 1024 on with --port, and let a proxy have this one',
  ],
  ['EADDRNOTAVAIL', noAddress],
  ['ENOTFOUND', noAddress],
  ['EAI_AGAIN', noAddress],
  ['ENOENT', noAddress], // the code in Bun
]);

export function unusablePort(flags: Pick<FlagValues, 'text'>, error: unknown): CommandFailure {
  const why = reasons.get(codeOf(error)) ?? reasonOf(error);
  return new CommandFailure(`can't listen on ${flags.text('host')}:${flags.text('port')}: ${why}`);
}
