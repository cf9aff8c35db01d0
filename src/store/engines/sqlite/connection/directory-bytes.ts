import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Total size of the database files in some folders, and of their write-ahead logs. */
export async function directoryBytes(
  folders: readonly string[],
): Promise<{ readonly database: number; readonly wal: number }> {
  const bytes = { database: 0, wal: 0 };
  for (const folder of folders) {
    for (const name of await readdir(folder)) {
      if (!/\.db(-wal)?$/.test(name)) continue;
      const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 })); // removed meanwhile
      bytes[name.endsWith('-wal') ? 'wal' : 'database'] += size;
    }
  }
  return bytes;
}
