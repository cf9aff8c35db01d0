import { defaultLimits } from '../../http/services.ts';
import type { Row, Rows } from '../../import/row.ts';
import type { JsonObject } from '../../model/json.ts';
import { countElements, work } from '../../store/sizes.ts';

const mostOperations = defaultLimits.records.batchOperations;
/** Most bytes of the rows of a batch, as JSON and in lists: half of the server's default limit, as its limit may be lower. */
const mostBytes = defaultLimits.batchBody.bytes / 2;

export type Good = Extract<Row, { body: JsonObject }>;
export type Check = (row: Row) => row is Good;

/** The rows that pass the check, in batches of the largest size. */
export async function* rowBatches(rows: Rows, check: Check): AsyncGenerator<Good[], void> {
  let waiting: Good[] = [];
  let bytes = 0;
  for await (const part of rows) {
    for (const row of part) {
      if (!check(row)) continue;
      const size = work.create(JSON.stringify(row.body), countElements(row.body));
      if (waiting.length === mostOperations || (bytes + size > mostBytes && waiting.length > 0)) {
        yield waiting;
        [waiting, bytes] = [[], 0];
      }
      waiting.push(row);
      bytes += size;
    }
  }
  if (waiting.length > 0) yield waiting;
}
