import type { Definition } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { recordsOf } from '../../api.ts';
import { fieldsOf, labelField, type NamedField, relationTarget } from '../../model/fields.ts';
import { texts } from '../../texts.ts';
import { type Found, lookUp } from './look-up.ts';
import { type Checked, type Fault, type ImportPlace, withFaults } from './to-payload.ts';

const { imports: words } = texts;

const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Resolves relations, which a file gives as ids or names, before anything is written. */
export async function findRelated(
  checked: readonly Checked[],
  { project, definition, all }: ImportPlace,
): Promise<Checked[]> {
  let now = [...checked];
  for (const field of fieldsOf(definition)) {
    const target = all.find(({ id }) => id === relationTarget(field));
    if (!target) continue;
    const values = new Set(now.flatMap(({ payload }) => textsOf(payload[field.name])));
    const found = await findTargets(project, target, [...values]);
    now = now.map((one) => withRelated(one, field, target, found));
  }
  return now;
}

const textsOf = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '') as string[];

async function findTargets(project: string, target: Definition, values: readonly string[]): Promise<Found> {
  const records = recordsOf(project, target.id);
  const label = labelField(target);
  const ids = values.filter((value) => isId.test(value)).map((id) => id.toLowerCase());
  const names = label === undefined ? [] : values.filter((value) => !isId.test(value));
  return new Map([
    ...(await lookUp(records, '_id', ids)),
    ...(label === undefined ? [] : await lookUp(records, label, names)),
  ]);
}

function withRelated(one: Checked, field: NamedField, target: Definition, found: Found): Checked {
  const value = one.payload[field.name];
  const faults: Fault[] = [];
  const fault = (message: string) => faults.push({ at: field.name, message });
  const name = target.name ?? target.id;
  const ids = textsOf(value).map((text) => {
    const [id, other] = found.get(isId.test(text) ? text.toLowerCase() : text) ?? [];
    if (id === undefined) fault(words.noRelated(text, name));
    else if (other !== undefined) fault(words.severalRelated(text, name));
    return id ?? text;
  });
  if (ids.length === 0) return one;
  const payload = { ...one.payload, [field.name]: Array.isArray(value) ? ids : (ids[0] ?? null) };
  return withFaults({ ...one, payload }, faults);
}
