import { newVersion } from '../../new-version.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';
import { kinds } from './change-log.ts';

/** Writes where the log of a project begins: no change, but something that a position can stand on. */
export const newOrigin = (): Sql => sql`
  INSERT INTO ${tables.changes} (mark, kind, collection, id, at)
  VALUES (${newVersion()}, ${kinds.origin}, 0, '', 0)`;
