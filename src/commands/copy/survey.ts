import { createHash, type Hash } from 'node:crypto';
import { accountTables, type Dump, type DumpPart } from '../../store/dump.ts';

/** The count of one kind of data, and a checksum over all of it. */
export interface Surveyed {
  readonly count: number;
  readonly checksum: string;
}

/** By the name shown to people. */
export type Survey = ReadonlyMap<string, Surveyed>;

class Sum {
  #count = 0;
  readonly #hash: Hash = createHash('sha256');

  add(texts: readonly string[]): void {
    this.#count += texts.length;
    for (const text of texts) this.#hash.update(text).update('\n');
  }

  end(): Surveyed {
    return { count: this.#count, checksum: this.#hash.digest('hex') };
  }
}

/** Reads the whole dump. */
export async function survey(dump: Dump): Promise<Survey> {
  const sums = new Map<string, Sum>(accountTables.map((table) => [nameOf(table), new Sum()]));
  for await (const part of dump.parts()) {
    for (const [name, texts] of textsOf(part)) {
      const sum = sums.get(name) ?? new Sum();
      sums.set(name, sum);
      sum.add(texts);
    }
  }
  return new Map([...sums].map(([name, sum]) => [name, sum.end()]));
}

const names: Readonly<Record<string, string>> = {
  keys: 'server keys',
  deletions: 'large deletions',
  doomed: 'records to delete',
  touched: 'deletion counts',
};
const nameOf = (table: string) => names[table] ?? table.replace('_', ' ');

/** One text per item, in order; for a record, its JSON with position, times and owner. */
function textsOf(part: DumpPart): (readonly [name: string, texts: readonly string[]])[] {
  switch (part.kind) {
    case 'rows':
      return [[nameOf(part.table), rowsOf(part).map((row) => JSON.stringify(row))]];
    case 'collections': {
      // Totals are left out: records are counted below, and a copy counts its own.
      const texts = part.collections.map(({ total: _, ...collection }) => JSON.stringify(collection));
      const records = part.collections.map(({ definition }) => [recordsOf(definition.id), []] as const);
      return [['collections', texts], ...records];
    }
    case 'records':
      return [
        [
          recordsOf(part.collection),
          part.records.map(({ seq, id, created, updated, owner, workspace, json }) => {
            return `${seq} ${id} ${created} ${updated} ${owner} ${workspace} ${json}`;
          }),
        ],
      ];
    case 'made':
      return [];
  }
}

/** The history id is left out: a copy has its own. */
const rowsOf = ({ table, rows }: Extract<DumpPart, { kind: 'rows' }>) =>
  table === 'secrets' ? rows.filter(({ name }) => name !== 'history') : rows;

const recordsOf = (collection: string) => `records of ${collection}`;
