import type { StoredCollection } from '../../../schema.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { fieldKey } from '../../../sql/names.ts';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';

/**
 * Single relations are foreign keys. They are deferred to the commit, because a batch may write a record before the one it
 * refers to. NOT VALID: existing rows were checked when they were written, so no table needs to be scanned.
 */
export async function addForeignKeys(db: Connection, collection: StoredCollection): Promise<void> {
  for (const field of collection.definition.fields.values()) {
    if (field.type !== 'relation' || field.kind !== 'single') continue;
    const row = await db.row(sql`SELECT key FROM ${tables.collections} WHERE id = ${field.to}`);
    if (row)
      await db.exec(
        `ALTER TABLE ${recordsOf(db, collection.key)} ${added(db, collection, field.name, Number(row[0]))}`,
      );
  }
}

/** Redirects foreign keys from a collection's old table to its new one. */
export async function repointForeignKeys(
  db: Connection,
  from: StoredCollection,
  to: StoredCollection,
): Promise<void> {
  for (const { from: referrer, field } of from.referrers) {
    if (referrer.key === from.key || field.kind !== 'single') continue;
    const name = constraintName(referrer, field.name);
    await db.exec(`
      ALTER TABLE ${recordsOf(db, referrer.key)}
      DROP CONSTRAINT IF EXISTS ${name}, ${added(db, referrer, field.name, to.key)}`);
  }
}

/** A table no longer in use must refer to nothing: its references would not be cleared when their targets are deleted. */
export async function dropForeignKeys(db: Connection, collection: StoredCollection): Promise<void> {
  for (const field of collection.definition.fields.values()) {
    if (field.type !== 'relation' || field.kind !== 'single') continue;
    await db.exec(
      `ALTER TABLE ${recordsOf(db, collection.key)} DROP CONSTRAINT IF EXISTS ${constraintName(collection, field.name)}`,
    );
  }
}

const constraintName = (collection: StoredCollection, field: string) =>
  `r${collection.key}_f${fieldKey(collection, field)}_to`;

const recordsOf = ({ dialect }: Connection, key: number) => dialect.style.table(`r${key}`);

function added(db: Connection, collection: StoredCollection, field: string, target: number): string {
  return `
    ADD CONSTRAINT ${constraintName(collection, field)} FOREIGN KEY (f${fieldKey(collection, field)})
    REFERENCES ${recordsOf(db, target)} (id) DEFERRABLE INITIALLY DEFERRED NOT VALID`;
}
