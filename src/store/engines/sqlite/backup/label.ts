import { createHash } from 'node:crypto';
import { idPattern } from '../../../../model/names.ts';
import type { BackupLabel } from '../../../backup-files.ts';
import { raw, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';

/** The label as stored in the file, with the digest of the content at that time. */
export interface StoredLabel extends BackupLabel {
  readonly format: number;
  readonly digest: string;
}

/** Files of earlier formats may have labels without a checksum. */
const firstWithSum = 11;

/** The last write to the file. */
export function writeLabel(db: Database, label: StoredLabel): void {
  db.exec('CREATE TABLE backup (label TEXT NOT NULL)');
  const summed = JSON.stringify({ ...label, sum: sumOf(label) });
  db.run({ ...raw('INSERT INTO backup (label) VALUES (?)'), values: [summed] });
}

/** The SHA-256 of all else in a label, the project's settings among it. */
const sumOf = (label: object) => createHash('sha256').update(JSON.stringify(label)).digest('hex');

function readSummed(text: string): StoredLabel | undefined {
  const { sum, ...label } = JSON.parse(text) as StoredLabel & { readonly sum?: string };
  const isOld = sum === undefined && label.format < firstWithSum;
  return isOld || sum === sumOf(label) ? label : undefined;
}

/** undefined: there is no label, or it is damaged. */
export function readLabel(db: Database): StoredLabel | undefined {
  const isTable = db.row(sql`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ${'backup'}`);
  if (!isTable) return undefined;
  try {
    const label = readSummed(String(db.row(raw('SELECT label FROM backup'))?.[0]));
    if (!label) return undefined;
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
