import type { CollectionRef } from './plans.ts';
import { type Schema, StaleSchema, type StoredCollection } from './schema.ts';

/** The current schema, and the previous one for plans made just before it changed. */
const kept = 2;

/** A project's schemas by version, which plans are compiled with. */
export class Schemas {
  #known: readonly Schema[] = [];

  /** The only place that refuses plans made under an outdated schema. */
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
