import type { ColumnValue } from '../../../model/field.ts';
import type { Accounts, ServerKey } from '../../accounts.ts';
import { tables } from '../tables.ts';
import { raw, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { paged } from './paged.ts';

type KeyCalls = Pick<Accounts, 'findKey' | 'noteKeyUse' | 'createKey' | 'listKeys' | 'deleteKey'>;

const columns = raw('id, name, access, expires, used, created');

export function keyCalls({ read, write }: AccountsAccess): KeyCalls {
  return {
    async findKey(digest) {
      const row = await read((db) =>
        db.row(sql`SELECT ${columns} FROM ${tables.keys} WHERE digest = ${digest}`),
      );
      return row && readKey(row);
    },
    noteKeyUse: (id, hour) =>
      write(async ({ db }) => {
        await db.run(sql`
          UPDATE ${tables.keys} SET used = ${hour} WHERE id = ${id} AND (used IS NULL OR used < ${hour})`);
      }),
    createKey: ({ id, name, access, expires, created }, digest) =>
      write(async ({ db }) => {
        await db.run(sql`
          INSERT INTO ${tables.keys} (id, name, digest, access, expires, created)
          VALUES (${id}, ${name}, ${digest}, ${access}, ${expires}, ${created})`);
      }),
    listKeys: (page) => read((db) => paged(db, columns.text, tables.keys, page, ['seq'], readKey)),
    deleteKey: (id) =>
      write(async ({ db }) => (await db.run(sql`DELETE FROM ${tables.keys} WHERE id = ${id}`)) > 0),
  };
}

function readKey([
  id,
  name,
  access,
  expires = null,
  used = null,
  created,
]: readonly ColumnValue[]): ServerKey {
  return {
    id: String(id),
    name: String(name),
    access: access === 'read' ? 'read' : 'write',
    expires: expires === null ? null : Number(expires),
    used: used === null ? null : Number(used),
    created: Number(created),
  };
}
