import type { ColumnValue } from '../../../../model/field.ts';
import { Lru, perCollection, remember } from '../../../cache.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Sql } from '../../../sql/tag.ts';

/** Per collection: each order and each set of columns in use takes one to three. */
const most = 256;

const statements = perCollection(() => new Lru<string, Sql>({ most }));

/**
 * A statement whose text is composed once per collection, by `make`, and then found by its name: that takes a tenth of the time
 * of composing it from half a dozen templates.
 */
export function namedStatement(
  collection: StoredCollection,
  name: string,
  values: readonly ColumnValue[],
  make: () => Sql,
): Sql {
  const { text, parts } = remember(statements(collection), name, make);
  return { text, parts, values };
}
