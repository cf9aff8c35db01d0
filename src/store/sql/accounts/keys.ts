import type { Accounts, ServerKey } from '../../accounts.ts';
import { raw, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { paged } from './paged.ts';

type KeyCalls = Pick<Accounts, 'findKey' | 'createKey' | 'listKeys' | 'deleteKey'>;

/** Asked at every request with a key, so the text is not put together each time. */
const findText = 'SELECT id FROM keys WHERE digest = ?';

export function keyCalls({ read, write }: AccountsAccess): KeyCalls {
  return {
    async findKey(digest) {
      const row = await read((db) => db.row({ text: findText, values: [digest] }));
      return row && String(row[0]);
    },
    createKey: ({ id, name, created }, digest) =>
      write(async ({ db }) => {
        await db.run(
          sql`INSERT INTO keys (id, name, digest, created) VALUES (${id}, ${name}, ${digest}, ${created})`,
        );
      }),
    listKeys: (page) =>
      read((db) =>
        paged(db, 'id, name, created', raw('keys'), page, ['seq'], ([id, name, created]): ServerKey => {
          return { id: String(id), name: String(name), created: Number(created) };
        }),
      ),
    deleteKey: (id) => write(async ({ db }) => (await db.run(sql`DELETE FROM keys WHERE id = ${id}`)) > 0),
  };
}
