import { Failure } from '../../../../failure.ts';
import { type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';

/** A record has at most the size of a body: only many of them can be too much for one answer. */
const mostUnmeasured = 64;
const largestPage = 64 * 1024 * 1024;

/** `records`: what stands behind FROM, with the `json` of each of the page's records. */
export function refuseLarge(db: Database, limit: number, records: () => Sql): void {
  if (limit <= mostUnmeasured) return;
  const [length] = db.row(sql`SELECT total(octet_length(json)) FROM ${records()}`) ?? [0];
  if (Number(length) <= largestPage) return;
  throw new Failure('invalid', [
    {
      at: 'perPage',
      message: `the page would be larger than ${largestPage} bytes: ask for fewer records, or export them`,
    },
  ]);
}
