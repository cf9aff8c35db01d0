import type { JsonObject } from '../../../model/json.ts';
import type { Accounts } from '../../accounts.ts';
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
          await db.run(
            sql`UPDATE ${tables.users} SET profile = ${after} WHERE id = ${id} AND profile = ${before}`,
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
  // Whoever changes their own has the row locked as a reference already: two of them would wait for each other with a stronger lock.
  const row = await db.row(sql`SELECT profile FROM ${tables.users} WHERE id = ${id}${db.dialect.forChange}`);
  return JSON.stringify({ ...(row && (JSON.parse(String(row[0])) as JsonObject)), ...change });
}
