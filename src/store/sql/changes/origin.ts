import { newVersion } from '../../new-version.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';
import { kinds } from './change-log.ts';

/** Writes the origin of a project's log: not a change, but something that a position can point to. */
export const newOrigin = (): Sql => sql`
  INSERT INTO ${tables.changes} (mark, kind, collection, id, at)
  VALUES (${newVersion()}, ${kinds.origin}, 0, '', 0)`;
