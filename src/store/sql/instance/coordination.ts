import type { Coordination } from '../../coordination.ts';
import type { AccountsAccess } from '../accounts/accounts-access.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { sqlNotedWork } from './noted-work.ts';

/** The last renewal seen of another holder, and when. */
interface SeenRenewal {
  readonly holder: string;
  readonly beat: number;
  readonly at: number;
}

/** `clock`: a monotonic clock in milliseconds. Clocks of two machines are never compared. */
export function sqlCoordination(
  { read, write }: AccountsAccess,
  clock: () => number = () => performance.now(),
): Coordination {
  const seen = new Map<string, SeenRenewal>();
  return {
    takeLease: (name, holder, silence) =>
      write(async ({ db }) => {
        await db.run(sql`
          INSERT INTO ${tables.leases} (name, holder, beat) VALUES (${name}, ${holder}, 0)
          ON CONFLICT (name) DO NOTHING`);
        const row = await db.row(
          sql`SELECT holder, beat FROM ${tables.leases} WHERE name = ${name}${db.dialect.forUpdate}`,
        );
        const found = { holder: String(row?.[0]), beat: Number(row?.[1]) };
        const before = seen.get(name);
        const quiet = before?.holder === found.holder && before.beat === found.beat;
        if (found.holder !== holder && !(quiet && clock() - before.at >= silence)) {
          if (!quiet) seen.set(name, { ...found, at: clock() });
          return false;
        }
        await db.run(sql`
          UPDATE ${tables.leases} SET holder = ${holder}, beat = ${found.beat + 1} WHERE name = ${name}`);
        return true;
      }),
    leaveLease: (name, holder) =>
      write(async ({ db }) => {
        await db.run(sql`DELETE FROM ${tables.leases} WHERE name = ${name} AND holder = ${holder}`);
      }),
    ...sqlNotedWork({ read, write }, clock),
  };
}
