import { findRelated } from './find-related.ts';
import type { Row } from './read-file.ts';
import { loadRules } from './rules.ts';
import { type Checked, type ImportPlace, payloadOf, type Reading, withFaults } from './to-payload.ts';
import { findDuplicates, findTaken } from './unique.ts';

/** Rows as payloads, with all that can be known to be wrong with them before anything is written. */
export async function checkRows(
  rows: readonly Row[],
  reading: Reading,
  place: ImportPlace,
): Promise<Checked[]> {
  const { definition, all } = place;
  const rules = await loadRules(definition, all);
  const read = rows.map((row) => payloadOf(row, reading, definition));
  const related = await findRelated(read, place);
  const ruled = related.map((one) => withFaults(one, rules.faultsOf(one.payload)));
  return findDuplicates(await findTaken(ruled, place, rules), definition, rules);
}
