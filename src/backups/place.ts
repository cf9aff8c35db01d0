import { Failure } from '../failure.ts';
import type { Manifest } from './manifest.ts';

/**
 * The storage of the backups refuses something, or is out of reach. Unlike an outage of the database, this is not logged
 * elsewhere.
 */
export class PlaceFailure extends Failure {}

/** Identifies a backup. */
export interface BackupName {
  readonly project: string;
  readonly id: string;
}

/** Where backups are kept. */
export interface BackupPlace {
  /** Where to make the file of a new backup: on this machine, in an existing folder. */
  draft(name: BackupName): Promise<string>;
  /** Removes the draft, with what SQLite may have left beside it; in a folder also files of a backup that was not completed. */
  discard(name: BackupName): Promise<void>;
  /**
   * Makes the draft a backup: for everybody, as a whole, and durably. `confirm` is called when everything but the manifest is
   * there, and may still refuse it by throwing.
   */
  keep(manifest: Manifest, confirm: () => Promise<void>): Promise<void>;
  /** The complete backups, the newest first. */
  list(): Promise<readonly BackupName[]>;
  findManifest(name: BackupName): Promise<Manifest | undefined>;
  /** Whether the file is there, and not only its manifest: somebody may have removed it by hand. */
  hasFile(name: BackupName): Promise<boolean>;
  read(name: BackupName): AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
  /** false: there is none. */
  remove(name: BackupName): Promise<boolean>;
  /**
   * Removes what is left of backups that were not completed. `isOver`: whether nobody makes it any more; called after its files
   * were seen.
   */
  sweep(isOver: (name: BackupName) => Promise<boolean>): Promise<void>;
  /** Makes everything that waits for the storage fail at once, as the process ends. */
  close(): void;
}

export const newestFirst = (a: BackupName, b: BackupName) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

/** The files that a draft may consist of. */
export const draftParts = ['', '-journal', '-wal', '-shm'] as const;

export const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';

/** Milliseconds since 1970, which a UUIDv7 begins with. */
export const timeOf = ({ id }: BackupName) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/**
 * `shop/<id>.json` makes it a backup; `shop/<id>.db` is its file. A name that ends in `.incomplete` is not part of a backup
 * yet.
 */
export const fileOf = ({ project, id }: BackupName) => `${project}/${id}.db`;
export const manifestFileOf = ({ project, id }: BackupName) => `${project}/${id}.json`;

const form = new RegExp(
  `^([a-z][a-z0-9_-]{0,62})/(${uuid})\\.(db|json|db\\.incomplete(?:-journal|-wal|-shm)?|json\\.incomplete)$`,
);

export function readFileName(path: string): (BackupName & { readonly kind: string }) | undefined {
  const [, project, id, kind] = form.exec(path) ?? [];
  return project && id && kind ? { project, id, kind } : undefined;
}
