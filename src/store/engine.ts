import type { Authority } from '../access/authority.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Administrators } from './administrators.ts';
import type { AuditLog } from './audit.ts';
import type { BackupFiles } from './backup-files.ts';
import type { BackupRuns } from './backup-runs.ts';
import type { Coordination } from './coordination.ts';
import type { Dump } from './dump.ts';
import type { Page, Paged } from './paged.ts';
import type { ProjectChange, ProjectRecord } from './project-record.ts';
import type { Store } from './store.ts';

export interface DeleteOptions {
  readonly onlyEmpty?: boolean;
  readonly authority?: Authority | undefined;
}

/** What must still hold when a restored project is put in its place. */
export interface Permit {
  readonly authority?: Authority | undefined;
  readonly run?: string | undefined;
}

/** Where an instance keeps its projects. */
export interface Engine {
  listProjects(page: Page): Promise<Paged<ProjectRecord>>;
  findProject(id: string): Promise<ProjectRecord | undefined>;
  /** false: the id is taken. */
  createProject(project: ProjectRecord, authority?: Authority): Promise<boolean>;
  /** `merge` is given what there is in the transaction that replaces it; what it throws leaves all as it is. */
  updateProject(
    id: string,
    merge: (current: ProjectRecord) => ProjectChange,
    now: number,
    authority?: Authority,
  ): Promise<ProjectRecord | undefined>;
  /** Its store must be closed. false: there is none, any more or at all. `onlyEmpty`: refuses where there are records in it. */
  deleteProject(id: string, options?: DeleteOptions): Promise<boolean>;
  openProject(id: string): Promise<Store>;
  /** Everything of a project as it is at one moment, for as long as the work takes. Nobody changes its schema meanwhile. */
  dumpProject<T>(id: string, work: (dump: Dump) => Promise<T>): Promise<T>;
  /**
   * Makes a project of what was dumped. `check` reads what was made, and may still refuse it by throwing. The project is
   * there after that, as a whole; whatever ends it before leaves none. false: the id is taken.
   */
  restoreProject(
    project: ProjectRecord,
    dump: Dump,
    check: (restored: Dump) => Promise<void>,
  ): Promise<boolean>;
  /** Whether an earlier version made the project: it is upgraded when it is opened. */
  isOutdated(id: string): Promise<boolean>;
  /** Makes a file of all there is of a project at one moment, while everybody goes on. */
  saveProject(id: string, to: string, files: BackupFiles): Promise<void>;
  /**
   * Makes a project of a file that was checked; `replace`: in place of the one there, whose removals it keeps. `run`: that
   * does it, and must still be under way by then. It is there as a whole, or as it was. false: the id is taken or, with `replace`, free.
   */
  loadProject(
    project: ProjectRecord,
    from: string,
    files: BackupFiles,
    options: { readonly replace: boolean } & Permit,
  ): Promise<boolean>;
  readonly backupRuns: BackupRuns;
  readonly administrators: Administrators;
  readonly audit: AuditLog;
  readonly coordination: Coordination;
  /** Bytes on disk: of all there is, and of SQLite's write-ahead logs; NaN where there are none. */
  storageBytes(): Promise<{ readonly database: number; readonly wal: number }>;
  /**
   * Finishes what a process has begun with projects, of several that share a directory, and that has ended since.
   * Returns the tokens of what can't be finished.
   */
  readonly finishProjects?: () => Promise<ReadonlySet<string>>;
  /** Runs what one request asks for, where it may have to wait: then all that it waits for together comes to an end in time. */
  readonly request?: <T>(work: () => Awaitable<T>) => Promise<T>;
  close(): Promise<void>;
}
