import type { Accounts, ServerKey } from '../../../accounts.ts';
import { raw, sql } from '../../../sql/tag.ts';
import type { Reach } from './accounts.ts';
import { paged } from './paged.ts';

type KeyCalls = Pick<Accounts, 'findKey' | 'createKey' | 'listKeys' | 'deleteKey'>;

export function keyCalls({ read, write }: Reach): KeyCalls {
  return {
    findKey: (digest) =>
      read((db) => db.row(sql`SELECT id FROM keys WHERE digest = ${digest}`)?.[0]?.toString()),
    createKey: ({ id, name, created }, digest) =>
      write(({ db }) => {
        db.run(
          sql`INSERT INTO keys (id, name, digest, created) VALUES (${id}, ${name}, ${digest}, ${created})`,
        );
      }),
    listKeys: (page) =>
      read((db) =>
        paged(db, 'id, name, created', raw('keys'), page, 'seq', ([id, name, created]): ServerKey => {
          return { id: String(id), name: String(name), created: Number(created) };
        }),
      ),
    deleteKey: (id) => write(({ db }) => db.run(sql`DELETE FROM keys WHERE id = ${id}`) > 0),
  };
}
