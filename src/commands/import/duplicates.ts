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

  /** Why the row conflicts with an earlier one; undefined if it does not. One that does takes no value from later ones. */
  find(line: number, values: Values): string | undefined {
    const conflict = this.conflict(values);
    if (conflict === undefined) this.note(line, values);
    return conflict;
  }

  /** The same, of the rows that were noted. */
  conflict(values: Values): string | undefined {
    for (const { fields, lines } of this.#rules) {
      const earlier = lines.get(this.#textOf(fields, values) ?? '');
      if (earlier !== undefined) return `${fields.join(', ')}: is the same as in line ${earlier}`;
    }
    return undefined;
  }

  note(line: number, values: Values): void {
    for (const { fields, lines } of this.#rules) {
      const key = this.#textOf(fields, values);
      if (key !== undefined) lines.set(key, line);
    }
  }

  /** undefined: some value is unset, and so collides with none. */
  #textOf(fields: readonly string[], values: Values): string | undefined {
    const key = fields.map((name) => this.#keyOf(name, values[name]));
    return key.includes(null) ? undefined : JSON.stringify(key);
  }

  #keyOf(name: string, value: Json = null): Json {
    return typeof value === 'string' && this.#folded.has(name) ? value.toLowerCase() : value;
  }
}
