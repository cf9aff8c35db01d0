import type { Json } from '../../../client/client.ts';
import type { Records } from '../../api.ts';

/** The ids of the records that have a value in a field. */
export type Found = ReadonlyMap<string, readonly string[]>;

/** Most characters of values in one request: the server limits URLs to 16 KiB. */
const longest = 6_000;

/** Only for fields whose filter takes several values. */
export async function lookUp(records: Records, field: string, values: Iterable<string>): Promise<Found> {
  const found = new Map<string, string[]>();
  for (const part of parts(values)) {
    for await (const record of records.all({ where: { [field]: part }, fields: [field], perPage: 1000 })) {
      const value = String(record[field]);
      found.set(value, [...(found.get(value) ?? []), String(record._id)]);
    }
  }
  return found;
}

/** Below so many values each is looked up by itself. More are looked up by all records from the least to the largest. */
const fewValues = 30;

/** Those of the values that records have, in a field of numbers or datetimes, whose filter takes only one value. */
export async function lookUpInRange(
  records: Records,
  field: string,
  values: readonly (number | string)[],
): Promise<ReadonlySet<Json>> {
  const sorted = [...new Set(values)].sort((one, other) => (one < other ? -1 : 1));
  const few = sorted.length <= fewValues;
  const ranges = few ? sorted.map((value) => [value, value]) : [[sorted[0], sorted.at(-1)]];
  const found = new Set<Json>();
  for (const [from, to] of ranges) {
    const where = { [field]: { '>=': from, '<=': to } };
    for await (const record of records.all({ where, fields: [field], perPage: 1000 }))
      found.add(record[field] ?? null);
  }
  return found;
}

function* parts(values: Iterable<string>): Generator<string[]> {
  let part: string[] = [];
  let length = 0;
  for (const value of values) {
    // No record has half an emoji, and nothing that is too long for a URL can be asked for: the server says what is so.
    if (/\p{Cs}/u.test(value)) continue;
    const size = encodeURIComponent(value).length + 3;
    if (size > longest) continue;
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
