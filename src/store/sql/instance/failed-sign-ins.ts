import { digest } from '../../../access/secret.ts';
import {
  type FailedSignIns,
  failureWindow,
  mostFailures,
  recentFailures,
  refuseMore,
} from '../../../access/sign-in-limit.ts';
import type { ColumnValue } from '../../../model/field.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';

/** A row for each address and account, as a digest: what was typed is not to be read here. */
export function sqlFailedSignIns({ read, write }: AccountsAccess): FailedSignIns {
  return {
    async check(who, now) {
      const row = await read((db) => db.row(timesOf(who)));
      refuseMore(readTimes(row?.[0], now), now);
    },
    async add(who, now) {
      const before = await write(async ({ db }) => {
        // Locks the row that is there, which `prune` may be about to remove.
        const row = await db.row(sql`
          INSERT INTO ${tables.failed_sign_ins} (who, times, ends) VALUES (${digest(who)}, '[]', 0)
          ON CONFLICT (who) DO UPDATE SET who = excluded.who RETURNING times`);
        const times = readTimes(row?.[0], now);
        if (times.length < mostFailures)
          await db.run(sql`
            UPDATE ${tables.failed_sign_ins}
            SET times = ${JSON.stringify([...times, now])}, ends = ${now + failureWindow}
            WHERE who = ${digest(who)}`);
        return times;
      });
      refuseMore(before, now);
    },
    // What ends much later was written by a wrong clock.
    prune: (now) =>
      write(async ({ db }) => {
        await db.run(sql`
          DELETE FROM ${tables.failed_sign_ins} WHERE ends <= ${now} OR ends > ${now + 2 * failureWindow}`);
      }),
  };
}

const timesOf = (who: string): Sql =>
  sql`SELECT times FROM ${tables.failed_sign_ins} WHERE who = ${digest(who)}`;

const readTimes = (text: ColumnValue | undefined, now: number) =>
  recentFailures(JSON.parse(String(text ?? '[]')) as number[], now);
