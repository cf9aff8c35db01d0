import { existsSync, realpathSync } from 'node:fs';
import type { CommandContext } from '../command.ts';
import { isAddress } from '../engine/database.ts';
import { type OpenEngine, openEngine } from '../engine/open-engine.ts';
import type { Place } from '../engine/place.ts';
import { UsageError } from '../flags.ts';

type Asked = Pick<CommandContext, 'flags' | 'runtime'>;

/** The source and the target of a copy. */
export interface CopyPlaces {
  readonly from: OpenEngine;
  readonly to: OpenEngine;
  close(): Promise<void>;
}

/** A copy uses few connections, but creating an index over many records is one long statement. */
const database = { pool: 4, statementTimeout: 60 * 60_000 };

/** Opens both places; a directory that is both is opened once. */
export async function openPlaces(asked: Asked): Promise<CopyPlaces> {
  const { runtime } = asked;
  const [source, target] = [readCopyPlace(asked, 'from'), readCopyPlace(asked, 'to')];
  const options = { runtime, database, whereInUse: 'stop it while the project is copied' };
  const from = await openEngine(source, { ...options, make: false, flag: '--from' });
  try {
    const to = isSame(source, target) ? from : await openEngine(target, { ...options, make: true });
    return { from, to, close: () => closeAll(new Set([to, from])) };
  } catch (error) {
    await from.engine.close();
    throw error;
  }
}

function readCopyPlace({ flags }: Asked, flag: 'from' | 'to'): Place {
  const text = flags.text(flag);
  if (text === '') throw new UsageError(`--${flag} is missing: a data directory or a postgres:// address`);
  if (!text.includes('://')) return { kind: 'directory', path: text };
  if (!isAddress(text)) {
    throw new UsageError(
      `--${flag} must be a data directory or an address such as postgres://user:password@host:5432/name`,
    );
  }
  return { kind: 'database', address: text };
}

function isSame(one: Place, other: Place): boolean {
  if (one.kind !== 'directory' || other.kind !== 'directory' || !existsSync(other.path)) return false;
  return realpathSync(one.path) === realpathSync(other.path);
}

async function closeAll(places: ReadonlySet<OpenEngine>): Promise<void> {
  for (const { engine } of places) await engine.close();
}
