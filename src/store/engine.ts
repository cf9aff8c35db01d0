import type { Authority } from '../access/authority.ts';
import type { FailedSignIns } from '../access/sign-in-limit.ts';
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

/** What must still hold when a restored project takes its place. */
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
  /** `merge` gets the current record inside the transaction that replaces it; if it throws, nothing changes. */
  updateProject(
    id: string,
    merge: (current: ProjectRecord) => ProjectChange,
    now: number,
    authority?: Authority,
  ): Promise<ProjectRecord | undefined>;
  /** The project's store must be closed. false: there is no such project. `onlyEmpty`: refuses if it has records. */
  deleteProject(id: string, options?: DeleteOptions): Promise<boolean>;
  openProject(id: string): Promise<Store>;
  /**
   * Everything in a project as of one moment, for as long as the work takes; its schema can't change meanwhile. Its settings
   * may be from just before where an engine keeps them in another file.
   */
  dumpProject<T>(id: string, work: (dump: Dump, project: ProjectRecord) => Promise<T>): Promise<T>;
  /**
   * Makes a project from a dump. `check` reads the result, and may still refuse it by throwing. The project exists as a whole
   * after that; if anything fails before, there is none. false: the id is taken.
   */
  restoreProject(
    project: ProjectRecord,
    dump: Dump,
    check: (restored: Dump) => Promise<void>,
  ): Promise<boolean>;
  /** Whether an earlier version made the project, so that opening it upgrades it. */
  isOutdated(id: string): Promise<boolean>;
  /** Writes everything of a project, as of one moment, to a file; requests go on meanwhile. */
  saveProject(id: string, to: string, files: BackupFiles): Promise<void>;
  /**
   * Makes a project from a file that was checked; `replace`: in place of the existing one, whose removals it keeps. `run`: the
   * run that does this, which must still be under way at the end. It either succeeds as a whole or changes nothing. false: the
   * id is taken or, with `replace`, free.
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
  /** Where several nodes share the instance. */
  readonly failedSignIns?: FailedSignIns;
  /** Bytes on disk: of everything, and of SQLite's write-ahead logs; NaN where there are none. */
  storageBytes(): Promise<{ readonly database: number; readonly wal: number }>;
  /**
   * For several processes that share a directory: finishes what one of them began with projects before it ended. Returns the
   * tokens of what can't be finished.
   */
  readonly finishProjects?: () => Promise<ReadonlySet<string>>;
  /** Runs what one request asks for, where it may have to wait: everything it waits for shares one deadline. */
  readonly request?: <T>(work: () => Awaitable<T>) => Promise<T>;
  close(): Promise<void>;
}
