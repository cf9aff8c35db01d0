import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';
import { runUpgrades } from '../../../sql/upgrade.ts';
import { format, upgrades } from './upgrades.ts';

/** Format of the project's tables; the first format had no number. undefined: the project was deleted. */
export async function findFormat(db: Connection): Promise<number | undefined> {
  const rows = await db.rows(sql`SELECT name, value FROM ${tables.meta} WHERE name IN ('schema', 'format')`);
  const values = new Map(rows.map(([name, value]) => [name, Number(value)]));
  return values.has('schema') ? (values.get('format') ?? 1) : undefined;
}

/** Must run inside a transaction, while nobody else writes. Does nothing if another node was first. */
export async function upgradeTables(db: Connection): Promise<void> {
  await runUpgrades(db, 'project', (await findFormat(db)) ?? format, upgrades);
  await db.run(sql`DELETE FROM ${tables.meta} WHERE name = 'format'`);
  await db.run(sql`INSERT INTO ${tables.meta} (name, value) VALUES ('format', ${format})`);
}
