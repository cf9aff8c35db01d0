import type { Definition, Field } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { type Records, recordsOf } from '../../api.ts';
import { fieldsOf, type NamedField } from '../../model/fields.ts';
import { texts } from '../../texts.ts';
import { viewerOf } from '../../viewer.ts';
import { lookUp, lookUpInRange } from './look-up.ts';
import type { Rules } from './rules.ts';
import { type Checked, type Fault, type ImportPlace, withFaults } from './to-payload.ts';

const { imports: words } = texts;

/** Finds values of unique fields that records have already. */
export async function findTaken(
  checked: readonly Checked[],
  { project, definition }: ImportPlace,
  rules: Rules,
): Promise<Checked[]> {
  // Whom the records are viewed as may not be allowed to list them.
  if (viewerOf(project).kind !== 'administrator') return [...checked];
  const records = recordsOf(project, definition.id);
  let now = [...checked];
  for (const field of fieldsOf(definition).filter(({ unique }) => unique)) {
    const values = now.map((one) => storedValue(one, field, rules));
    const taken = await takenOf(records, field, values);
    now = now.map((one, at) => {
      const value = values[at] ?? null;
      if (value === null || !taken.has(folded(field, value))) return one;
      return withFaults(one, [{ at: field.name, message: words.taken(JSON.stringify(value)) }]);
    });
  }
  return now;
}

async function takenOf(
  records: Records,
  field: NamedField,
  values: readonly Json[],
): Promise<ReadonlySet<Json>> {
  const texts = values.filter((value) => typeof value === 'string' && value !== '') as string[];
  switch (field.type) {
    case 'number':
      return lookUpInRange(
        records,
        field.name,
        values.filter((value) => typeof value === 'number'),
      );
    case 'datetime':
      return lookUpInRange(records, field.name, texts);
    case 'boolean':
      return new Set();
    default: {
      // An address is taken in whatever letter case, but found only in the one that it has: mostly in lower case.
      const wanted = new Set([...texts, ...texts.map((text) => String(folded(field, text)))]);
      const found = await lookUp(records, field.name, wanted);
      return new Set([...found.keys()].map((text) => folded(field, text)));
    }
  }
}

/** Finds values of unique fields that the file has twice: the later row gets the fault. */
export function findDuplicates(checked: readonly Checked[], definition: Definition, rules: Rules): Checked[] {
  const seen = uniqueFields(definition).map((fields) => ({ fields, rows: new Map<string, number>() }));
  return checked.map((one) => {
    const keyed = seen.map(({ fields, rows }) => ({ fields, rows, key: keyOf(one, fields, rules) }));
    const faults = keyed.flatMap(({ fields, rows, key }): Fault[] => {
      const earlier = key === undefined ? undefined : rows.get(key);
      const at = fields.map(({ name }) => name).join(', ');
      return earlier === undefined ? [] : [{ at, message: words.sameAs(String(earlier)) }];
    });
    const found = withFaults(one, faults);
    // A row that is not imported takes no value from a later one.
    if (found.faults.length === 0)
      for (const { rows, key } of keyed) if (key !== undefined) rows.set(key, one.row.number);
    return found;
  });
}

function uniqueFields(definition: Definition): (readonly NamedField[])[] {
  const fields = new Map(fieldsOf(definition).map((field) => [field.name, field]));
  const rules = (definition.indexes ?? []).filter(({ unique }) => unique);
  return [
    ...[...fields.values()].filter(({ unique }) => unique).map((field) => [field]),
    ...rules.map((index) => index.fields.flatMap((name) => fields.get(name) ?? [])),
  ];
}

/** undefined: one of the values is not set, or wrong, so that they are the same as no others. */
function keyOf(one: Checked, fields: readonly NamedField[], rules: Rules): string | undefined {
  const values = fields.map((field) => folded(field, storedValue(one, field, rules)));
  return values.includes(null) ? undefined : JSON.stringify(values);
}

function storedValue({ payload }: Checked, field: NamedField, rules: Rules): Json {
  const value = field.name in payload ? payload[field.name] : field.default;
  return rules.stored(field.name, value ?? null) ?? null;
}

const folded = (field: Field, value: Json): Json =>
  field.type === 'email' && typeof value === 'string' ? value.toLowerCase() : value;
