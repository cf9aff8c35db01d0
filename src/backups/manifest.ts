import { formatInstant } from '../model/instant.ts';
import type { BackupFacts } from '../store/backup-files.ts';

/** Why a backup was made. Scheduled ones are removed as newer ones are made; all others stay until they are deleted. */
export type Occasion = 'request' | 'schedule' | 'upgrade' | 'replace';

/** Stored beside the file of a backup, which is valid as soon as this exists. */
export interface Manifest {
  readonly _id: string;
  readonly project: string;
  readonly _createdAt: string;
  readonly occasion: Occasion;
  readonly vitrine: string;
  readonly format: number;
  readonly bytes: number;
  readonly records: number;
  readonly counts: Readonly<Record<string, number>>;
  /** SHA-256 of the file. */
  readonly checksum: string;
  readonly verifiedAt: string;
}

export function manifestOf(facts: BackupFacts, occasion: Occasion, now: number): Manifest {
  const { id, project, made, vitrine, format, bytes, records, counts, checksum } = facts;
  return {
    _id: id,
    project: project.id,
    _createdAt: formatInstant(made),
    occasion,
    ...{ vitrine, format, bytes, records, counts, checksum },
    verifiedAt: formatInstant(now),
  };
}

export const writeManifest = (manifest: Manifest) => `${JSON.stringify(manifest, null, 2)}\n`;

/** undefined: the text is not a manifest. */
export function readManifest(text: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(text) as Manifest;
    const { _id, project, _createdAt, checksum, bytes, records } = manifest;
    const texts = [_id, project, _createdAt, checksum].every((one) => typeof one === 'string');
    return texts && Number.isFinite(bytes) && Number.isFinite(records) ? manifest : undefined;
  } catch {
    return undefined;
  }
}
