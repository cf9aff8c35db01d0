import { v7 as uuidv7 } from 'uuid';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/**
 * Whether the address is free, and stays so until the end of this transaction: it is taken by a row that is deleted at once,
 * and anybody else who wants it waits.
 */
export async function isFree(db: Connection, email: string): Promise<boolean> {
  const id = uuidv7();
  const made = await db.run(sql`
    INSERT INTO ${tables.users} (id, email, name, password, disabled, created, updated)
    VALUES (${id}, ${email}, '', '', 1, 0, 0) ON CONFLICT (email) DO NOTHING`);
  await db.run(sql`DELETE FROM ${tables.users} WHERE id = ${id}`);
  return made > 0;
}
