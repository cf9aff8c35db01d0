import { AsyncLocalStorage } from 'node:async_hooks';
import { v7 as uuidv7 } from 'uuid';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { countBackup } from '../metrics/counted.ts';
import type { BackupRun } from '../store/backup-runs.ts';
import type { ProjectRecord } from '../store/store.ts';
import { type BackupTools, makeBackup } from './make-backup.ts';
import type { Manifest, Occasion } from './manifest.ts';
import { type BackupName, newestFirst, timeOf } from './place.ts';
import { asRefusal, reasonOf } from './reasons.ts';
import { fetchBackup, loadBackup, noProject, type Restoring, taken } from './restore-backup.ts';

export interface BackupOptions extends BackupTools {
  readonly log: Log;
}

/** Work that goes on whether anybody waits for it or not. */
export interface Started<T> {
  readonly id: string;
  readonly done: Promise<T>;
}

/** A backup as it is now: a file, or a run that is under way or failed. */
export type KnownBackup =
  | { readonly kind: 'made'; readonly manifest: Manifest; readonly restore: BackupRun | undefined }
  | { readonly kind: 'run'; readonly run: BackupRun };

/** Milliseconds between two signs of life, which the other processes of the instance look for. */
const beat = 10_000;
/** Milliseconds: a bucket costs something to list. */
const ageHolds = 60_000;
/** Milliseconds that those under way have when the server stops. */
const lastMoments = 3_000;

/** The backups of an instance: makes, lists, restores and removes them. */
export class Backups {
  readonly #options: BackupOptions;
  /** Whoever asks for a backup does not share the time of their request with it. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #running = new Map<Promise<unknown>, () => Promise<void>>();
  #stopping = false;
  #age: { readonly at: number; readonly seconds: number } | undefined;

  constructor(options: BackupOptions) {
    this.#options = options;
  }

  /** Begins one; a Failure where another one of the project is under way. */
  async start(project: string, occasion: Occasion): Promise<Started<Manifest>> {
    const { catalog } = this.#options;
    await catalog.requireProject(project);
    const id = uuidv7({ msecs: this.#options.now() });
    await this.#begin({ id, kind: 'backup', project, backup: id });
    const work = async (files: ReturnType<BackupTools['openFiles']>) => {
      const manifest = await makeBackup(this.#options, files, { project, id }, occasion);
      await this.#sweep();
      return manifest;
    };
    return { id, done: this.#run(id, `the backup of project '${project}'`, 'forget', work) };
  }

  /** Begins to make a project of a backup. */
  async startRestore(id: string, restoring: Restoring): Promise<Started<ProjectRecord>> {
    const { catalog, place, now } = this.#options;
    const manifest = await this.#requireManifest(id);
    const { as, replace } = restoring;
    const exists = await catalog.hasProject(as);
    if (exists && !replace) throw taken(as);
    if (!exists && replace) throw noProject(as);
    const run = uuidv7({ msecs: now() });
    await this.#begin({ id: run, kind: 'restore', project: as, backup: id });
    const work = async (files: ReturnType<BackupTools['openFiles']>) => {
      const own = { project: as, id: run };
      const copy = await place.draft(own);
      try {
        await fetchBackup(place, manifest, copy);
        const facts = await files.check(copy);
        if (replace) await this.#saveBefore(files, as);
        return await loadBackup(catalog, files, copy, facts, restoring, now());
      } finally {
        await place.discard(own);
      }
    };
    return { id: run, done: this.#run(run, `the restore of project '${as}'`, 'keep', work) };
  }

  /** All there are, the newest first: those made, and those that are under way or failed. */
  async list(project?: string): Promise<readonly (BackupName & { readonly run?: BackupRun })[]> {
    const { place, catalog, now } = this.#options;
    const made = await place.list();
    const there = new Set(made.map(({ id }) => id));
    const runs = (await catalog.backupRuns.list(now()))
      .filter(({ kind, id }) => kind === 'backup' && !there.has(id))
      .map((run) => ({ project: run.project, id: run.id, run }));
    const all: (BackupName & { readonly run?: BackupRun })[] = [...made, ...runs];
    return all.filter((one) => project === undefined || one.project === project).sort(newestFirst);
  }

  async find(id: string): Promise<KnownBackup | undefined> {
    const { place, catalog, now } = this.#options;
    const runs = await catalog.backupRuns.list(now());
    const name = (await place.list()).find((one) => one.id === id);
    const manifest = name && (await place.findManifest(name));
    if (manifest) {
      const restore = runs.find((run) => run.kind === 'restore' && run.backup === id);
      return { kind: 'made', manifest, restore };
    }
    const run = runs.find((one) => one.id === id && one.kind === 'backup');
    return run && { kind: 'run', run };
  }

  async manifestOf(name: BackupName): Promise<Manifest | undefined> {
    return this.#options.place.findManifest(name);
  }

  /** The file, as it is. */
  async file(
    id: string,
  ): Promise<{ manifest: Manifest; body: AsyncGenerator<Uint8Array<ArrayBuffer>, void> }> {
    const manifest = await this.#requireManifest(id);
    return { manifest, body: this.#options.place.read({ project: manifest.project, id }) };
  }

  async remove(id: string): Promise<void> {
    const { place, catalog } = this.#options;
    const found = await this.find(id);
    if (!found) throw noBackup(id);
    if (found.kind === 'run') {
      if (found.run.status === 'running')
        throw new Failure('conflict', `The backup ${id} is being made: delete it when it is done`);
      await catalog.backupRuns.forget(id);
      return;
    }
    if (!(await place.remove({ project: found.manifest.project, id }))) throw noBackup(id);
  }

  /** When the newest good backup was made, of a project or of all, in milliseconds since 1970; undefined: there is none. */
  async newestGood(project?: string): Promise<number | undefined> {
    const found = (await this.#options.place.list()).find(
      (name) => project === undefined || name.project === project,
    );
    return found && timeOf(found);
  }

  /** Seconds since the last good backup of the project that waits longest for one; since it was made, where it has none. */
  async age(): Promise<number> {
    const { catalog, place, now } = this.#options;
    if (this.#age && now() - this.#age.at < ageHolds) return this.#age.seconds;
    const newest = new Map<string, number>();
    for (const name of (await place.list()).toReversed()) newest.set(name.project, timeOf(name));
    let oldest = now();
    for await (const { id, created } of catalog.allProjects())
      oldest = Math.min(oldest, newest.get(id) ?? created);
    this.#age = { at: now(), seconds: (now() - oldest) / 1000 };
    return this.#age.seconds;
  }

  /** What is under way has a little time to end; what is left of the rest is none. */
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

  async #begin(run: Pick<BackupRun, 'id' | 'kind' | 'project' | 'backup'>): Promise<void> {
    const { catalog, now } = this.#options;
    if (this.#stopping) throw stopped();
    if (await catalog.backupRuns.begin(run, now())) return;
    throw new Failure(
      'conflict',
      `A backup or a restore of project '${run.project}' is under way: wait until it is done`,
    );
  }

  /** The one that is replaced, by whoever holds the project already. */
  async #saveBefore(files: ReturnType<BackupTools['openFiles']>, project: string): Promise<void> {
    const id = uuidv7({ msecs: this.#options.now() });
    await makeBackup(this.#options, files, { project, id }, 'replace');
  }

  #run<T>(
    id: string,
    what: string,
    then: 'keep' | 'forget',
    work: (files: ReturnType<BackupTools['openFiles']>) => Promise<T>,
  ): Promise<T> {
    const { openFiles, log } = this.#options;
    const run = async () => {
      const files = openFiles();
      const beating = setInterval(() => void this.#beat(id), beat);
      const ended = this.#watched(id, then, work(files));
      this.#running.set(ended, () => files.close());
      try {
        const result = await ended;
        if (then === 'forget') countBackup('done');
        return result;
      } catch (error) {
        if (this.#stopping) throw stopped();
        if (then === 'forget') countBackup('failed');
        log.error(`${what} failed`, error);
        throw asRefusal(capitalized(what), error);
      } finally {
        clearInterval(beating);
        this.#running.delete(ended);
        await files.close();
      }
    };
    const done = this.#outside(run);
    done.catch(() => {}); // nobody may be waiting any more
    return done;
  }

  async #watched<T>(id: string, then: 'keep' | 'forget', work: Promise<T>): Promise<T> {
    const { backupRuns } = this.#options.catalog;
    try {
      const result = await work;
      if (then === 'keep') await backupRuns.finish(id, { status: 'done', error: null });
      else await backupRuns.forget(id);
      return result;
    } catch (error) {
      await backupRuns.finish(id, { status: 'failed', error: reasonOf(error) }).catch(() => {});
      throw error;
    }
  }

  async #beat(id: string): Promise<void> {
    const { catalog, now } = this.#options;
    await catalog.backupRuns.beat(id, now()).catch(() => {}); // the next one will
  }

  /** What processes that died left behind. */
  async #sweep(): Promise<void> {
    const { place, catalog, now } = this.#options;
    const runs = await catalog.backupRuns.list(now());
    await place.sweep(new Set(runs.filter(({ status }) => status === 'running').map(({ id }) => id)));
  }

  async #requireManifest(id: string): Promise<Manifest> {
    const found = await this.find(id);
    if (!found) throw noBackup(id);
    if (found.kind === 'made') return found.manifest;
    const why = found.run.status === 'running' ? 'is being made' : 'failed, so that there is no file';
    throw new Failure('conflict', `The backup ${id} ${why}`);
  }
}

export function noBackup(id: string): Failure {
  return new Failure('absent', `There is no backup '${id}'`);
}

const stopped = () => new Failure('unavailable', 'The server is stopping: ask again', { retryAfter: 5 });

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
