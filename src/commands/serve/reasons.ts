import type { FlagValues } from '../flags.ts';
import { databaseName, findDatabase } from '../target/database.ts';

/** Why it is that the data can not be used, as one line. */
export function unusableData(flags: FlagValues, error: unknown): string {
  const address = findDatabase(flags);
  const place = address === undefined ? `the data directory '${flags.text('data')}'` : databaseName(address);
  return `vitrine: ${place} can not be used: ${reasonOf(error)}\n`;
}

/** Why it is that nothing can be heard at a port, as one line. */
export function unusablePort(flags: FlagValues, error: unknown): string {
  const why =
    codeOf(error) === 'EADDRINUSE'
      ? 'the port is taken: stop what uses it or choose another with --port'
      : messageOf(error);
  return `vitrine: can not listen on ${flags.text('host')}:${flags.text('port')}: ${why}\n`;
}

export function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'it can not be written';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'it is not a directory';
    default:
      return messageOf(error);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
