import { AsyncLocalStorage } from 'node:async_hooks';
import { v7 as uuidv7 } from 'uuid';
import type { Authority } from '../access/authority.ts';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { countBackup } from '../metrics/counted.ts';
import type { BackupFiles } from '../store/backup-files.ts';
import type { BackupRun } from '../store/backup-runs.ts';
import type { BackupTools } from './make-backup.ts';
import { asRefusal, reasonOf } from './reasons.ts';

export interface WorkOptions extends Pick<BackupTools, 'catalog' | 'openFiles' | 'now'> {
  readonly log: Log;
}

/** Work that goes on whether or not anybody waits for it. */
export interface Started<T> {
  readonly id: string;
  readonly done: Promise<T>;
}

type Work = Pick<BackupRun, 'id' | 'kind' | 'project'>;

/** Milliseconds between two heartbeats, which the other processes of the instance look for. */
const beat = 10_000;
/** Milliseconds that the work under way gets when the server stops. */
export const lastMoments = 3_000;

/** The backups and restores under way here, which all processes of the instance know of: one per project at a time. */
export class BackupWork {
  readonly #options: WorkOptions;
  /** Runs work outside of the request that asked for it, so that it does not share its deadline. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #running = new Map<Promise<unknown>, () => Promise<void>>();
  #stopping = false;

  constructor(options: WorkOptions) {
    this.#options = options;
  }

  async begin(
    run: Pick<BackupRun, 'id' | 'kind' | 'project' | 'backup'>,
    authority: Authority | undefined,
  ): Promise<void> {
    const { catalog, now } = this.#options;
    if (this.#stopping) throw stopped();
    if (await catalog.backupRuns.begin(run, now(), authority)) return;
    throw new Failure(
      'conflict',
      `A backup or a restore of project '${run.project}' is under way: wait until it is done`,
    );
  }

  /** `files` stay open for as long as the work takes. */
  run<T>(what: Work, work: (files: BackupFiles) => Promise<T>): Promise<T> {
    const run = async () => {
      const files = this.#options.openFiles();
      const beating = setInterval(() => void this.#beat(what.id), beat);
      const ended = this.#watched(what, work(files));
      this.#running.set(ended, () => files.close());
      try {
        return await ended;
      } catch (error) {
        if (this.#stopping) throw stopped();
        if (!isGone(what.kind, error)) await this.#noteFailure(what, error);
        throw asRefusal(`The ${what.kind} of project '${what.project}'`, error);
      } finally {
        clearInterval(beating);
        this.#running.delete(ended);
        await files.close();
      }
    };
    const done = this.#outside(run);
    done.catch(() => {}); // nobody may be waiting for it any more
    return done;
  }

  async #watched<T>({ id, kind }: Work, work: Promise<T>): Promise<T> {
    const { backupRuns } = this.#options.catalog;
    try {
      const result = await work;
      if (kind === 'restore') await backupRuns.finish(id, { status: 'done', error: null });
      else await backupRuns.forget(id);
      if (kind === 'backup') countBackup('done');
      return result;
    } catch (error) {
      const why = this.#stopping ? 'the server was stopped before it was done' : reasonOf(error);
      const noted = isGone(kind, error)
        ? backupRuns.forget(id)
        : backupRuns.finish(id, { status: 'failed', error: why });
      await noted.catch(() => {});
      throw error;
    }
  }

  /** In the log, in the metrics and in the audit, as whoever asked for it may not be waiting any more. */
  async #noteFailure({ id, kind, project }: Work, error: unknown): Promise<void> {
    const { log, catalog, now } = this.#options;
    if (kind === 'backup') countBackup('failed');
    log.error(`the ${kind} of project '${project}' failed`, error);
    const entry = uuidv7();
    const action = { id: entry, at: now(), actor: 'server', action: `${kind}.fail`, project, target: id };
    try {
      await catalog.audit.begin({ ...action, address: '', requestId: entry });
      await catalog.audit.finish(entry, { outcome: 'refused' });
    } catch (fault) {
      log.error(`that the ${kind} of project '${project}' failed is missing in the audit`, fault);
    }
  }

  async #beat(id: string): Promise<void> {
    await this.#options.catalog.backupRuns.beat(id).catch(() => {}); // the next heartbeat will do
  }

  /** Gives the work under way a little time to finish, then stops it: what is not done by then is not a backup. */
  async close(): Promise<void> {
    this.#stopping = true;
    const over = Promise.allSettled(this.#running.keys());
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, lastMoments);
    await Promise.race([over, late]);
    clearTimeout(timer);
    await Promise.all([...this.#running.values()].map((stop) => stop()));
    await over;
  }
}

/** The project was deleted while its backup was made: nobody needs to be alarmed. */
const isGone = (kind: Work['kind'], error: unknown) =>
  kind === 'backup' && error instanceof Failure && error.kind === 'absent';

const stopped = () => new Failure('unavailable', 'The server is stopping: ask again', { retryAfter: 5 });
