import type { Dump } from './dump.ts';
import type { ChangesSettings } from './project-record.ts';

/** A project as the instance knows it: what is not in its own tables. */
export interface LabelledProject {
  readonly id: string;
  readonly name: string;
  /** Its settings. */
  readonly auth: object;
  /** How long it keeps changes; undefined: as long as is usual. */
  readonly changes?: ChangesSettings | undefined;
  readonly created: number;
  readonly updated: number;
}

/** What a backup says of itself, inside its file. */
export interface BackupLabel {
  readonly id: string;
  readonly project: LabelledProject;
  /** When its moment was, in milliseconds since 1970. */
  readonly made: number;
  /** The version of Vitrine that made it. */
  readonly vitrine: string;
}

/** What was found in a backup when all of it was read again. */
export interface BackupFacts extends BackupLabel {
  /** Of its tables. */
  readonly format: number;
  readonly bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly checksum: string;
  readonly records: number;
  /** Rows by table or, of records, by collection. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Makes and reads files of backups, which are SQLite files whatever the engine is: beside the thread that serves. */
export interface BackupFiles {
  /** A project's file of SQLite as it is at one moment; others may read and write it meanwhile. */
  copy(from: string, to: string): Promise<void>;
  /** A new file with what is dumped. */
  write(to: string, dump: Dump): Promise<void>;
  /** Labels a file that was made, reads all of it again and has it on disk. What is wrong with it is thrown. */
  finish(path: string, label: BackupLabel): Promise<BackupFacts>;
  /** Reads all of a file that may come from anywhere. A Failure says what is wrong with it. */
  check(path: string): Promise<BackupFacts>;
  /** The rows of a file that was checked: its triggers and views do not run, and nothing is written to it. */
  read<T>(path: string, work: (dump: Dump) => Promise<T>): Promise<T>;
  /** Fills the empty file of a project with the rows of one that was checked. */
  restore(draft: string, from: string): Promise<void>;
  close(): Promise<void>;
}
