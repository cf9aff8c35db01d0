import type { Definition } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { type Records, recordsOf } from '../../api.ts';
import { fieldsOf, labelField, type NamedField, relationTarget } from '../../model/fields.ts';
import { texts } from '../../texts.ts';
import type { Checked } from './to-payload.ts';

const { imports: words } = texts;

/** The ids of the records that have a value as their id or name. */
type Found = ReadonlyMap<string, readonly string[]>;

const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Most characters of values in one request: the server limits URLs to 16 KiB. */
const longest = 6_000;

/** Resolves relations, which a file gives as ids or names, before anything is written. */
export async function findRelated(
  checked: readonly Checked[],
  { project, definition, all }: { project: string; definition: Definition; all: readonly Definition[] },
): Promise<Checked[]> {
  let now = [...checked];
  for (const field of fieldsOf(definition)) {
    const target = all.find(({ id }) => id === relationTarget(field));
    if (!target) continue;
    const values = new Set(now.flatMap(({ payload }) => textsOf(payload[field.name])));
    const found = await lookUp(recordsOf(project, target.id), labelField(target), values);
    now = now.map((one) => withRelated(one, field, target, found));
  }
  return now;
}

const textsOf = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '') as string[];

async function lookUp(
  records: Records,
  label: string | undefined,
  values: ReadonlySet<string>,
): Promise<Found> {
  const found = new Map<string, string[]>();
  const ask = async (field: string, wanted: readonly string[]) => {
    for (const part of parts(wanted)) {
      const where = { [field]: part };
      for await (const record of records.all({ where, fields: [field], perPage: 1000 })) {
        const name = String(record[field]);
        found.set(name, [...(found.get(name) ?? []), String(record._id)]);
      }
    }
  };
  await ask(
    '_id',
    [...values].filter((value) => isId.test(value)).map((id) => id.toLowerCase()),
  );
  if (label !== undefined)
    await ask(
      label,
      [...values].filter((value) => !isId.test(value)),
    );
  return found;
}

function* parts(values: readonly string[]): Generator<string[]> {
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

function withRelated(one: Checked, field: NamedField, target: Definition, found: Found): Checked {
  const value = one.payload[field.name];
  const faults = one.fault === undefined ? [] : [one.fault];
  const ids = textsOf(value).map((text) => {
    const [id, other] = found.get(isId.test(text) ? text.toLowerCase() : text) ?? [];
    if (id === undefined) faults.push(words.noRelated(field.name, text, target.name ?? target.id));
    else if (other !== undefined)
      faults.push(words.severalRelated(field.name, text, target.name ?? target.id));
    return id ?? text;
  });
  if (ids.length === 0) return one;
  const payload = { ...one.payload, [field.name]: Array.isArray(value) ? ids : (ids[0] ?? null) };
  return { row: one.row, payload, ...(faults.length > 0 && { fault: faults.join('; ') }) };
}
