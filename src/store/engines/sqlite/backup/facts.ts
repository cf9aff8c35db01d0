import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, statSync } from 'node:fs';
import type { BackupFacts, BackupLabel } from '../../../backup-files.ts';
import { raw } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import type { Content } from './content.ts';

/** The facts of a file that was read. */
export function factsOf(
  db: Database,
  path: string,
  { id, project, made, vitrine }: BackupLabel,
  format: number,
  content: Content,
): BackupFacts {
  const names = collectionNames(db);
  const counts = [...content.rows].flatMap(([table, rows]): [string, number][] => {
    if (/^l\d+_\d+$/.test(table)) return []; // values of records
    const collection = names.get(table);
    if (collection === undefined) return /^r\d+$/.test(table) ? [] : [[table, rows]];
    return [[`records of ${collection}`, rows]];
  });
  const records = [...names.keys()].reduce((sum, table) => sum + (content.rows.get(table) ?? 0), 0);
  const [bytes, checksum] = [statSync(path).size, checksumOf(path)];
  const label = { id, project, made, vitrine };
  return { ...label, format, bytes, checksum, records, counts: Object.fromEntries(counts) };
}

/** Names of the existing collections by the table of their records: other tables are being created or dropped. */
function collectionNames(db: Database): Map<string, string> {
  const rows = db.rows(raw('SELECT key, id FROM collections'));
  return new Map(rows.map(([key, id]) => [`r${key}`, String(id)]));
}

const chunk = 1024 * 1024;

function checksumOf(path: string): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(chunk);
    for (;;) {
      const read = readSync(file, buffer, 0, chunk, null);
      if (read === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
