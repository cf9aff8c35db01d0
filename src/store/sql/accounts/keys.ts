import type { Accounts, ServerKey } from '../../accounts.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { paged } from './paged.ts';

type KeyCalls = Pick<Accounts, 'findKey' | 'createKey' | 'listKeys' | 'deleteKey'>;

export function keyCalls({ read, write }: AccountsAccess): KeyCalls {
  return {
    async findKey(digest) {
      const row = await read((db) => db.row(sql`SELECT id FROM ${tables.keys} WHERE digest = ${digest}`));
      return row && String(row[0]);
    },
    createKey: ({ id, name, created }, digest) =>
      write(async ({ db }) => {
        await db.run(
          sql`INSERT INTO ${tables.keys} (id, name, digest, created) VALUES (${id}, ${name}, ${digest}, ${created})`,
        );
      }),
    listKeys: (page) =>
      read((db) =>
        paged(db, 'id, name, created', tables.keys, page, ['seq'], ([id, name, created]): ServerKey => {
          return { id: String(id), name: String(name), created: Number(created) };
        }),
      ),
    deleteKey: (id) =>
      write(async ({ db }) => (await db.run(sql`DELETE FROM ${tables.keys} WHERE id = ${id}`)) > 0),
  };
}
