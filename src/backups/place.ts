import { Failure } from '../failure.ts';
import type { Manifest } from './manifest.ts';

/** The storage of the backups refuses something, or is out of reach. Unlike an outage of the database, nobody else logs that. */
export class PlaceFailure extends Failure {}

/** By which a backup is found. */
export interface BackupName {
  readonly project: string;
  readonly id: string;
}

/** Where backups are kept. */
export interface BackupPlace {
  /** Where the file of a new one is made, on this machine, in a folder that is there. */
  draft(name: BackupName): Promise<string>;
  /** Removes the draft, with what SQLite may have left beside it; in a folder also what was to become a backup and is none. */
  discard(name: BackupName): Promise<void>;
  /**
   * What was made as the draft is a backup from now on: to everybody, as a whole, also after a power cut. `confirm` is asked
   * when all but the manifest is there, and may still refuse it by throwing.
   */
  keep(manifest: Manifest, confirm: () => Promise<void>): Promise<void>;
  /** Those that count, the newest first. */
  list(): Promise<readonly BackupName[]>;
  findManifest(name: BackupName): Promise<Manifest | undefined>;
  read(name: BackupName): AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
  /** false: there is none. */
  remove(name: BackupName): Promise<boolean>;
  /** Removes what is left of those that came to nothing; `isOver`: of one that is not made any more, asked after its files were seen. */
  sweep(isOver: (name: BackupName) => Promise<boolean>): Promise<void>;
  /** Everything that waits for the storage fails at once: the process ends. */
  close(): void;
}

export const newestFirst = (a: BackupName, b: BackupName) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

/** What a draft may consist of. */
export const draftParts = ['', '-journal', '-wal', '-shm'] as const;

export const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';

/** Milliseconds since 1970: the beginning of a UUIDv7. */
export const timeOf = ({ id }: BackupName) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** `shop/<id>.json` is a backup; `shop/<id>.db` is its file; with `.incomplete` after its name it is none yet. */
export const fileOf = ({ project, id }: BackupName) => `${project}/${id}.db`;
export const manifestFileOf = ({ project, id }: BackupName) => `${project}/${id}.json`;

const form = new RegExp(
  `^([a-z][a-z0-9_-]{0,62})/(${uuid})\\.(db|json|db\\.incomplete(?:-journal|-wal|-shm)?|json\\.incomplete)$`,
);

export function readFileName(path: string): (BackupName & { readonly kind: string }) | undefined {
  const [, project, id, kind] = form.exec(path) ?? [];
  return project && id && kind ? { project, id, kind } : undefined;
}
