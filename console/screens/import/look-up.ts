import type { Records } from '../../api.ts';

/** The ids of the records that have a value in a field. */
export type Found = ReadonlyMap<string, readonly string[]>;

/** Most characters of values in one request: the server limits URLs to 16 KiB. */
const longest = 6_000;

/** Only for fields whose filter takes several values. */
export async function lookUp(records: Records, field: string, values: Iterable<string>): Promise<Found> {
  const found = new Map<string, string[]>();
  for (const part of parts(values)) {
    const where = { [field]: part };
    for await (const record of records.all({ where, fields: [field], perPage: 1000 })) {
      const value = String(record[field]);
      found.set(value, [...(found.get(value) ?? []), String(record._id)]);
    }
  }
  return found;
}

function* parts(values: Iterable<string>): Generator<string[]> {
  let part: string[] = [];
  let length = 0;
  for (const value of values) {
    const size = encodeURIComponent(value).length + 3;
    if (part.length > 0 && length + size > longest) {
      yield part;
      part = [];
      length = 0;
    }
    part.push(value);
    length += size;
  }
  if (part.length > 0) yield part;
}
