import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Flags, type FlagValues, UsageError } from '../flags.ts';
import { databaseName, isAddress } from './database.ts';

/** Where the data of an instance is kept. */
export type Place =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'database'; readonly address: string };

/** For every command that works on a data directory or a PostgreSQL database. */
export const placeFlags = {
  data: { kind: 'text', summary: 'Where the data is kept', fallback: './data' },
  database: { kind: 'text', summary: 'A postgres:// address to keep the data at, in place of --data' },
} as const satisfies Flags;

/** The command line takes precedence over the environment. */
export function readPlace(flags: FlagValues): Place {
  const address = flags.text('database');
  // As with --database "$VITRINE_DATABASE" if that is not set: an empty directory would be a surprise.
  if (address === '' && flags.given('database') && !flags.given('data'))
    throw new UsageError('--database is empty: name a database with it, or leave it out');
  if (address === '' || (flags.given('data') && !flags.given('database'))) {
    return { kind: 'directory', path: flags.text('data') };
  }
  if (flags.given('data')) throw new UsageError('--database and --data do not go together');
  return databasePlace(address);
}

/** If a server is given both, by flags or variables, it keeps backups below --data and everything else in the database. */
export function readServerPlace(flags: FlagValues): Place {
  const address = flags.text('database');
  return address === '' ? readPlace(flags) : databasePlace(address);
}

function databasePlace(address: string): Place {
  if (isAddress(address)) return { kind: 'database', address };
  throw new UsageError(
    '--database must be an address such as postgres://user:password@host:5432/name, with %25 for a % of the password, %2F for a / and %23 for a #',
  );
}

/** Its name in messages, without a password. */
export function placeName(place: Place): string {
  return place.kind === 'directory' ? place.path : databaseName(place.address);
}

/** Whether a directory contains no instance yet. For a database this is known only when it is opened. */
export function isEmptyDirectory(place: Place): boolean {
  return place.kind === 'directory' && !existsSync(join(place.path, 'instance.db'));
}
