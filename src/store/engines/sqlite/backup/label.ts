import { idPattern } from '../../../../model/names.ts';
import type { BackupLabel } from '../../../backup-files.ts';
import { raw, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';

/** The label as stored in the file, with the digest of the content at that time. */
export interface StoredLabel extends BackupLabel {
  readonly format: number;
  readonly digest: string;
}

/** The last write to the file. */
export function writeLabel(db: Database, label: StoredLabel): void {
  db.exec('CREATE TABLE backup (label TEXT NOT NULL)');
  db.run({ ...raw('INSERT INTO backup (label) VALUES (?)'), values: [JSON.stringify(label)] });
}

/** undefined: there is no readable label. */
export function readLabel(db: Database): StoredLabel | undefined {
  const isTable = db.row(sql`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ${'backup'}`);
  if (!isTable) return undefined;
  try {
    const label = JSON.parse(String(db.row(raw('SELECT label FROM backup'))?.[0])) as StoredLabel;
    const { id, project, made, vitrine, format, digest } = label;
    const texts = [id, vitrine, digest, project.id, project.name];
    const numbers = [made, format, project.created, project.updated];
    const isGood = texts.every((text) => typeof text === 'string') && numbers.every(Number.isFinite);
    // A file is named after it: anything but an id could be a path to another file.
    const isNamed = idPattern.test(project.id);
    const { auth, changes } = project;
    const isSet = typeof auth === 'object' && (changes === undefined || Number.isInteger(changes.days));
    return isGood && isNamed && isSet ? label : undefined;
  } catch {
    return undefined;
  }
}
