import type { Awaitable } from '../../../../awaitable.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { raw, sql } from '../../../sql/tag.ts';
import { pendingTable, textTable } from '../reads/search.ts';

/** Bytes of text indexed at a time, which take some 4 MB of the index's pending list, and number of texts. */
export const mostAtOnce = 200_000;
const mostTexts = 2_000;

export interface Portion {
  readonly texts: number;
  readonly bytes: number;
  /** Size in bytes of the table that they waited in. */
  readonly table: number;
}

/** Whether there may be more. */
export const isFull = ({ texts, bytes }: Portion) => texts >= mostTexts || bytes >= mostAtOnce;

/** Moves the first pending texts that nobody is changing or deleting. */
export async function moveTexts(db: Connection, key: number): Promise<Portion> {
  const pending = pendingTable(key);
  const row = await db.row(sql`
    WITH free AS (
      SELECT seq, octet_length(text) AS size FROM ${pending}
      ORDER BY seq LIMIT ${raw(String(mostTexts))} FOR UPDATE SKIP LOCKED
    ), fitting AS (
      SELECT seq FROM (SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before FROM free) AS counted
      WHERE before < ${raw(String(mostAtOnce))}
    ), taken AS (
      DELETE FROM ${pending} AS pending USING fitting WHERE pending.seq = fitting.seq RETURNING pending.seq, pending.text
    ), moved AS (
      INSERT INTO ${textTable(key)} (seq, text) SELECT seq, text FROM taken
      ON CONFLICT (seq) DO NOTHING -- written since by a version that does not defer texts
      RETURNING octet_length(text) AS size
    )
    SELECT count(*), coalesce(sum(size), 0)::bigint, pg_table_size(${db.dialect.style.table(`p${key}`)}::regclass)
    FROM moved`);
  const [texts = 0, bytes = 0, table = 0] = (row ?? []).map(Number);
  return { texts, bytes, table };
}

/** Flushes the index's pending list. The index is looked up by its table, as it keeps its name when the table is renamed. */
export function indexListed(db: Connection, texts: string): Awaitable<unknown> {
  return db.rows(sql`
    SELECT gin_clean_pending_list(indexrelid) FROM pg_catalog.pg_index
    JOIN pg_catalog.pg_class ON pg_class.oid = indexrelid
    JOIN pg_catalog.pg_am ON pg_am.oid = relam
    WHERE indrelid = to_regclass(${texts}) AND amname = 'gin'`);
}
