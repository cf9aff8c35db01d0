import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Flags, type FlagValues, UsageError } from '../flags.ts';
import { databaseName, isAddress } from './database.ts';

/** Where the data of an instance is kept. */
export type Place =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'database'; readonly address: string };

/** For every command that can work on a data directory or on a PostgreSQL. */
export const placeFlags = {
  data: { kind: 'text', summary: 'Where the data is kept', fallback: './data' },
  database: { kind: 'text', summary: 'A postgres:// address to keep the data at, in place of --data' },
} as const satisfies Flags;

/** What is on the command line wins over the environment, where both are given. */
export function readPlace(flags: FlagValues): Place {
  const address = flags.text('database');
  // As "$VITRINE_DATABASE" is where nobody has set it: to go on with an empty directory would be a surprise.
  if (address === '' && flags.given('database') && !flags.given('data'))
    throw new UsageError('--database is empty: name a database with it, or leave it out');
  if (address === '' || (flags.given('data') && !flags.given('database'))) {
    return { kind: 'directory', path: flags.text('data') };
  }
  if (flags.given('data')) throw new UsageError('--database and --data do not go together');
  return databasePlace(address);
}

/** Of a server that has both, the backups go below --data and all else into the database. */
export function readServerPlace(flags: FlagValues): Place {
  const both = flags.given('data') && flags.given('database') && flags.text('database') !== '';
  return both ? databasePlace(flags.text('database')) : readPlace(flags);
}

function databasePlace(address: string): Place {
  if (isAddress(address)) return { kind: 'database', address };
  throw new UsageError(
    '--database must be an address such as postgres://user:password@host:5432/name, with %25 for a % of the password, %2F for a / and %23 for a #',
  );
}

/** What to call it to a person: without a password. */
export function placeName(place: Place): string {
  return place.kind === 'directory' ? place.path : databaseName(place.address);
}

/** Whether there is an instance in a directory. Of a database that is known once it is opened. */
export function isEmptyDirectory(place: Place): boolean {
  return place.kind === 'directory' && !existsSync(join(place.path, 'instance.db'));
}
