import type { JsonObject } from '../../../model/json.ts';
import { stampKey } from '../../../model/profile.ts';
import type { Accounts } from '../../accounts.ts';
import { StaleProfile } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';

type ProfileCalls = Pick<Accounts, 'listProfiles' | 'replaceProfiles'>;

/** For changes of all users at once. */
export function profileCalls({ read, write }: AccountsAccess): ProfileCalls {
  return {
    async listProfiles(after, most) {
      const rows = await read((db) =>
        db.rows(sql`SELECT id, profile FROM ${tables.users} WHERE id > ${after} ORDER BY id LIMIT ${most}`),
      );
      return rows.map(([id, profile]) => ({
        id: String(id),
        profile: JSON.parse(String(profile)) as JsonObject,
      }));
    },
    replaceProfiles: (changes) =>
      write(async ({ db }) => {
        for (const { id, before, after } of changes) {
          const [old, now] = [JSON.stringify(before), JSON.stringify(after)];
          await db.run(
            sql`UPDATE ${tables.users} SET profile = ${now} WHERE id = ${id} AND profile = ${old}`,
          );
        }
      }),
  };
}

/** The profile of a user with some values replaced, to be saved in the same transaction. */
export async function mergedProfile(
  db: Connection,
  id: string,
  change: JsonObject | undefined,
): Promise<string | null> {
  if (change === undefined) return null;
  // Users who change their own profile already hold a reference lock on the row: with a stronger lock two of them would
  // deadlock.
  const row = await db.row(sql`SELECT profile FROM ${tables.users} WHERE id = ${id}${db.dialect.forChange}`);
  if (!row) return null;
  const stored = JSON.parse(String(row[0])) as JsonObject;
  if (stored[stampKey] !== change[stampKey]) throw new StaleProfile();
  return JSON.stringify({ ...stored, ...change });
}
