import type { CollectionRef } from './plans.ts';
import { type Schema, StaleSchema, type StoredCollection } from './schema.ts';

/** The schema and, for plans that were made just before it changed, the one before. */
const kept = 2;

/** The schemas of one project by version: what plans are compiled with. */
export class Schemas {
  #known: readonly Schema[] = [];

  /** The one place where a plan of a schema that is not current any more is refused. */
  collection(ref: CollectionRef): StoredCollection {
    const found = this.find(ref.version)?.byKey.get(ref.key);
    if (!found) throw new StaleSchema();
    return found;
  }

  find(version: number): Schema | undefined {
    return this.#known.find((schema) => schema.version === version);
  }

  keep(schema: Schema): Schema {
    const others = this.#known.filter(({ version }) => version !== schema.version);
    this.#known = [schema, ...others].slice(0, kept);
    return schema;
  }
}
