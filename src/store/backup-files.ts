import type { Dump } from './dump.ts';
import type { ChangesSettings } from './project-record.ts';

/** What the instance knows of a project, and the project's own tables do not. */
export interface LabelledProject {
  readonly id: string;
  readonly name: string;
  readonly auth: object;
  /** How long it keeps changes; undefined: the default. */
  readonly changes?: ChangesSettings | undefined;
  readonly created: number;
  readonly updated: number;
}

/** What a backup says about itself, inside its file. */
export interface BackupLabel {
  readonly id: string;
  readonly project: LabelledProject;
  /** The moment it is of, in milliseconds since 1970. */
  readonly made: number;
  /** The version of Vitrine that made it. */
  readonly vitrine: string;
}

/** What was found when all of a backup was read again. */
export interface BackupFacts extends BackupLabel {
  /** The format of its tables. */
  readonly format: number;
  readonly bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly checksum: string;
  readonly records: number;
  /** Rows by table; records by collection. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Makes and reads the files of backups, which are SQLite files whatever the engine. This happens outside of the thread that
 * serves.
 */
export interface BackupFiles {
  /** Copies a project's SQLite file as of one moment; others may read and write it meanwhile. */
  copy(from: string, to: string): Promise<void>;
  /** Writes a dump to a new file. */
  write(to: string, dump: Dump): Promise<void>;
  /** Labels a new file, reads all of it again and syncs it to disk. Throws if anything is wrong with it. */
  finish(path: string, label: BackupLabel): Promise<BackupFacts>;
  /** Reads all of a file of unknown origin. Throws a Failure that says what is wrong with it. */
  check(path: string): Promise<BackupFacts>;
  /** The rows of a file that was checked. Its triggers and views do not run, and nothing is written to it. */
  read<T>(path: string, work: (dump: Dump) => Promise<T>): Promise<T>;
  /** Fills a project's empty file with the rows of one that was checked. */
  restore(draft: string, from: string): Promise<void>;
  close(): Promise<void>;
}
