import type { Collection } from '../../model/collection.ts';
import type { Json } from '../../model/json.ts';
import type { Values } from '../../model/payload.ts';

/** Finds rows of a file that have the same unique value. */
export class Duplicates {
  readonly #rules: readonly { readonly fields: readonly string[]; readonly lines: Map<string, number> }[];
  readonly #folded: ReadonlySet<string>;

  constructor({ fields, indexes }: Collection) {
    const single = [...fields.values()].filter(({ unique }) => unique).map(({ name }) => [name]);
    const several = indexes.filter(({ unique }) => unique).map((index) => index.fields);
    this.#rules = [...single, ...several].map((names) => ({ fields: names, lines: new Map() }));
    this.#folded = new Set(
      [...fields.values()].filter(({ type }) => type === 'email').map(({ name }) => name),
    );
  }

  /** Why the row conflicts with an earlier one; undefined if it does not. */
  find(line: number, values: Values): string | undefined {
    for (const { fields, lines } of this.#rules) {
      const key = fields.map((name) => this.#keyOf(name, values[name]));
      if (key.includes(null)) continue; // unset values never collide
      const text = JSON.stringify(key);
      const earlier = lines.get(text);
      if (earlier !== undefined) return `${fields.join(', ')}: is the same as in line ${earlier}`;
      lines.set(text, line);
    }
    return undefined;
  }

  #keyOf(name: string, value: Json = null): Json {
    return typeof value === 'string' && this.#folded.has(name) ? value.toLowerCase() : value;
  }
}
