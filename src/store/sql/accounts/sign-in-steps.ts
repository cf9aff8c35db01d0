import type { SignInSteps } from '../../factors.ts';
import { type Sql, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';

export function stepCalls({ read, write }: AccountsAccess, steps: Sql): SignInSteps {
  return {
    saveStep: ({ digest, kind, data, expires }, now) =>
      write(async ({ db }) => {
        await db.run(sql`DELETE FROM ${steps} WHERE expires <= ${now}`);
        await db.run(sql`
          INSERT INTO ${steps} (digest, kind, data, expires) VALUES (${digest}, ${kind}, ${data}, ${expires})`);
      }),
    async findStep(digest, kind, now) {
      const row = await read((db) =>
        db.row(sql`
          SELECT data FROM ${steps} WHERE digest = ${digest} AND kind = ${kind} AND expires > ${now}`),
      );
      return row && String(row[0]);
    },
    spendStep: (digest, kind, now) =>
      write(async ({ db }) => {
        const row = await db.row(sql`
          DELETE FROM ${steps} WHERE digest = ${digest} AND kind = ${kind} AND expires > ${now} RETURNING data`);
        return row && String(row[0]);
      }),
  };
}
