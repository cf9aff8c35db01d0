import type { Authority } from '../access/authority.ts';
import type { ReadTurn } from '../access/turns.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { MailSettings } from '../model/mail-settings.ts';
import type { Provider } from '../model/provider-settings.ts';
import type { Accounts } from './accounts.ts';
import type { AuditLog } from './audit.ts';
import type { BackupFiles } from './backup-files.ts';
import type { BackupRuns } from './backup-runs.ts';
import type { LogStore } from './changes.ts';
import type { Coordination } from './coordination.ts';
import type { Dump } from './dump.ts';
import type { Factors, SignInSteps } from './factors.ts';
import type { Page, Paged } from './paged.ts';
import type {
  CollectionRef,
  DistinctPlan,
  ListAnswer,
  ListPlan,
  PickAnswer,
  PickPlan,
  Position,
  PositionPlan,
  ViewPlan,
  WalkAnswer,
  WalkPlan,
} from './plans.ts';
import type { Schema } from './schema.ts';
import type { ChangeAnswer, ChangePlan, DefinePlan, DropPlan, Progress } from './schema-plans.ts';
import type { Webhooks } from './webhooks.ts';
import type {
  BatchAnswer,
  BatchPlan,
  DeletePlan,
  DeletePreview,
  Idempotency,
  InsertPlan,
  LoadPlan,
  UpdatePlan,
} from './write-plans.ts';

/**
 * One project's database. `turn` is for reads whose cost grows with the collection, which the store knows before it begins:
 * such a read waits for its caller's turn, and ends when the signal is aborted or its time is up. Each method is one atomic step; a record is its finished JSON text. What takes a
 * collection does nothing but throw StaleSchema where that is of another schema than the current one, which another
 * process may have made a moment ago; and anything may throw ProjectGone.
 */
export interface Store {
  /** At once where the store can. */
  list(plan: ListPlan, turn?: ReadTurn): Awaitable<ListAnswer>;
  walk(plan: WalkPlan, turn?: ReadTurn): Promise<WalkAnswer>;
  /**
   * For a walk over everything in an order that no index has, so that it is sorted once and not once a page: the
   * places of all records in that order. undefined where walking is as good.
   */
  arrange(plan: Omit<ListPlan, 'offset' | 'key'>, turn?: ReadTurn): Promise<readonly number[] | undefined>;
  /** Those that are still there and in scope, in the order of `seqs`. */
  pick(plan: PickPlan): Promise<PickAnswer>;
  view(plan: ViewPlan): Awaitable<string | undefined>;
  distinct(plan: DistinctPlan, turn?: ReadTurn): Promise<ReadonlyMap<string, readonly Json[]>>;
  insert(plan: InsertPlan): Promise<string>;
  /** undefined: there is no such record in scope. */
  update(plan: UpdatePlan): Promise<string | undefined>;
  delete(plan: DeletePlan): Promise<boolean>;
  /** What it would do. undefined: there is no such record in scope. */
  /** Where a record is in a sort now; undefined where there is none at that place any more. */
  findPosition(plan: PositionPlan): Promise<Position | undefined>;
  previewDelete(plan: DeletePlan): Promise<DeletePreview | undefined>;

  /**
   * All of it or, with the Failure of the first step that is refused, nothing. Where the signal says that nobody waits for it any
   * more, an engine may end it, and then nothing is written either.
   */
  batch(plan: BatchPlan, signal?: AbortSignal): Promise<BatchAnswer>;
  /** The results of an earlier request with this key. */
  findKept(idempotency: Idempotency): Promise<readonly string[] | undefined>;
  /** One transaction for as long as records come; other writes wait. For a store that nobody else uses. */
  load(plan: LoadPlan): Promise<void>;

  readonly accounts: Accounts;
  readonly log: LogStore;
  readonly webhooks: Webhooks;
  schema(): Promise<Schema>;
  /** Of the schema as it is now, in no more than a look-up. Throws ProjectGone when the project was deleted. */
  schemaVersion(): Promise<number>;
  createCollection(plan: DefinePlan): Promise<void>;
  changeCollection(plan: ChangePlan, progress: Progress): Promise<ChangeAnswer>;
  deleteCollection(plan: DropPlan): Promise<void>;
  /** Of one collection, or of all. */
  countRecords(collection?: CollectionRef): Promise<number>;
  close(): Promise<void>;
}

export interface AuthSettings {
  /** May anybody sign up? */
  readonly registration: 'open' | 'closed';
  readonly accessTokenMinutes: number;
  readonly refreshTokenDays: number;
  /** Fields of the project's own on its users, as they were defined. */
  readonly profile: JsonObject;
  /** What becomes of the records of a user who is deleted. */
  readonly onUserDelete: 'keep' | 'delete';
  readonly mail: MailSettings;
  /** Is a second factor asked of everybody, or of those who want one? */
  readonly totp: 'optional' | 'required';
  /** Those at whom users may sign in. */
  readonly providers: readonly Provider[];
  /** The exact addresses of the app, to which they come back. */
  readonly redirects: readonly string[];
}

export const defaultAuth: AuthSettings = {
  registration: 'open',
  accessTokenMinutes: 15,
  refreshTokenDays: 30,
  profile: {},
  onUserDelete: 'keep',
  mail: {},
  totp: 'optional',
  providers: [],
  redirects: [],
};

export interface ChangesSettings {
  /** For which changes are kept. */
  readonly days: number;
}

export const defaultChanges: ChangesSettings = { days: 7 };

export interface ProjectRecord {
  readonly id: string;
  readonly name: string;
  readonly auth: AuthSettings;
  readonly created: number;
  readonly updated: number;
  /** undefined: the default. */
  readonly changes?: ChangesSettings | undefined;
}

export interface ProjectChange {
  readonly name?: string;
  readonly auth?: AuthSettings;
  readonly changes?: ChangesSettings;
}

/** Where an instance keeps its projects. */
export interface Engine {
  listProjects(page: Page): Promise<Paged<ProjectRecord>>;
  findProject(id: string): Promise<ProjectRecord | undefined>;
  /** false: the id is taken. */
  createProject(project: ProjectRecord, authority?: Authority): Promise<boolean>;
  updateProject(
    id: string,
    change: ProjectChange,
    now: number,
    authority?: Authority,
  ): Promise<ProjectRecord | undefined>;
  /** Its store must be closed. false: there is none, any more or at all. */
  deleteProject(id: string, authority?: Authority): Promise<boolean>;
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
   * Makes a project of a file that was checked; `replace`: in place of the one there, whose removals it keeps. It is there
   * as a whole, or as it was. false: the id is taken or, with `replace`, free.
   */
  loadProject(
    project: ProjectRecord,
    from: string,
    files: BackupFiles,
    options: { readonly replace: boolean },
  ): Promise<boolean>;
  readonly backupRuns: BackupRuns;
  readonly administrators: Administrators;
  readonly audit: AuditLog;
  readonly coordination: Coordination;
  /** Bytes on disk: of all there is, and of SQLite's write-ahead logs; NaN where there are none. */
  storageBytes(): Promise<{ readonly database: number; readonly wal: number }>;
  /** Runs what one request asks for, where it may have to wait: then all that it waits for together comes to an end in time. */
  readonly request?: <T>(work: () => Awaitable<T>) => Promise<T>;
  close(): Promise<void>;
}

export interface NewAdministratorSession {
  readonly digest: string;
  readonly email: string;
  /** When it ends however much it is used. */
  readonly ends: number;
  /** The one that was verified. */
  readonly passwordHash: string;
}

export interface AdministratorSession {
  readonly email: string;
  /** When it ends unless it is used before. */
  readonly expires: number;
}

/** Milliseconds that a session of an administrator lasts after its last use. */
export const administratorIdle = 30 * 60_000;

export interface Ticket {
  readonly digest: string;
  /** Path and query of the one request that it is good for. */
  readonly path: string;
  readonly expires: number;
  /** Who made it, as the audit names them. */
  readonly actor: string;
}

/** Those who manage the instance, beside whoever holds VITRINE_ADMIN_KEY. */
export interface Administrators extends Factors, SignInSteps {
  /** The same, for one of them whose sign-in is looked at again by whatever writes. */
  as(authority: Authority): Administrators;
  any(): Promise<boolean>;
  findPassword(email: string): Promise<string | undefined>;
  /** Makes one, or gives them a new password, which ends their sign-ins. */
  save(email: string, passwordHash: string): Promise<void>;
  list(page: Page): Promise<Paged<string>>;
  /** Removes the one whose address it is, invited or not, with their sessions. The only administrator there is stays. */
  remove(isIt: (email: string) => boolean): Promise<'removed' | 'absent' | 'last'>;
  /** false: the password is another one by now. */
  openSession(session: NewAdministratorSession, now: number): Promise<boolean>;
  /** The session, if it is alive; it then lives on from now. */
  useSession(digest: string, now: number): Promise<AdministratorSession | undefined>;
  /** Whether it is alive, which does not count as a use. */
  hasSession(digest: string, now: number): Promise<boolean>;
  endSession(digest: string): Promise<void>;
  /** Replaces the token of the one-time set-up link. */
  offerSetup(digest: string): Promise<void>;
  withdrawSetup(): Promise<void>;
  /** Replaces an earlier invitation of that address; false: it is an administrator already. */
  invite(invitation: { digest: string; email: string; expires: number }): Promise<boolean>;
  /**
   * Makes the first administrator, or one who was invited. false where the token is neither the one offered, there
   * being none yet, nor that of an invitation of this address.
   */
  completeSetup(digest: string, email: string, passwordHash: string, now: number): Promise<boolean>;
  saveTicket(ticket: Ticket, now: number): Promise<void>;
  /** Who made it, where there was one for this path. It is gone either way. */
  spendTicket(digest: string, path: string, now: number): Promise<string | undefined>;
}
