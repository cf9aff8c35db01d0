import type { Json, JsonObject } from '../../../model/json.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** A definition as it is stored. */
export type StoredDefinition = JsonObject & { readonly id: string };

interface MadeIndex {
  readonly fields: readonly string[];
  readonly unique: boolean;
}

/**
 * The first version saved indexes in the order they were sent in, along with other settings, while the tables kept theirs.
 * Names depend on that order: the definition gets the one of the tables. `textOf`: the statement that created an index.
 */
export async function alignIndexes(
  db: Connection,
  key: number,
  definition: StoredDefinition,
  fieldKeys: ReadonlyMap<string, number>,
  textOf: (name: string) => Promise<string>,
): Promise<StoredDefinition> {
  const left = [...((definition.indexes ?? []) as readonly Json[])] as unknown as MadeIndex[];
  const aligned: MadeIndex[] = [];
  for (let position = 0; left.length > 0; position++) {
    const text = await textOf(`r${key}_i${position}`);
    const columns = [...new Set(text.match(/\bf\d+\b/g))].join();
    const isThis = ({ fields, unique = false }: MadeIndex) =>
      fields.map((name) => `f${fieldKeys.get(name)}`).join() === columns &&
      unique === /^CREATE UNIQUE/.test(text);
    const at = left.findIndex(isThis);
    if (at < 0) return definition; // the difference is not just the order
    aligned.push(...left.splice(at, 1));
  }
  const whole = { ...definition, indexes: aligned as unknown as Json };
  if (JSON.stringify(whole) !== JSON.stringify(definition)) {
    await db.run(
      sql`UPDATE ${tables.collections} SET definition = ${JSON.stringify(whole)} WHERE key = ${key}`,
    );
  }
  return whole;
}
