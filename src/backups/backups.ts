import { v7 as uuidv7 } from 'uuid';
import type { Authority } from '../access/authority.ts';
import { Failure } from '../failure.ts';
import type { BackupFiles } from '../store/backup-files.ts';
import type { BackupRun } from '../store/backup-runs.ts';
import type { ProjectRecord } from '../store/project-record.ts';
import { BackupAge } from './backup-age.ts';
import { BackupWork, lastMoments, type Started, type WorkOptions } from './backup-work.ts';
import { type BackupTools, makeBackup } from './make-backup.ts';
import type { Manifest, Occasion } from './manifest.ts';
import { type BackupName, newestFirst, timeOf } from './place.ts';
import { reasonOf } from './reasons.ts';
import { fetchBackup, loadBackup, noProject, type Restoring, taken } from './restore-backup.ts';

export type BackupOptions = BackupTools & WorkOptions;

/** A backup as it is now: a file, or a run that is under way or failed. */
export type KnownBackup =
  | { readonly kind: 'made'; readonly manifest: Manifest; readonly restore: BackupRun | undefined }
  | { readonly kind: 'run'; readonly run: BackupRun };

/**
 * Makes, lists, restores and removes the backups of an instance. `authority`: that of whoever asks, checked again when it is
 * done.
 */
export class Backups {
  readonly #options: BackupOptions;
  readonly #work: BackupWork;
  readonly #age: BackupAge;

  constructor(options: BackupOptions) {
    this.#options = options;
    this.#work = new BackupWork(options);
    this.#age = new BackupAge(options);
  }

  /** Begins a backup. A Failure if the project has another one under way. */
  async start(project: string, occasion: Occasion, authority?: Authority): Promise<Started<Manifest>> {
    const { catalog } = this.#options;
    await catalog.requireProject(project);
    const id = uuidv7({ msecs: this.#options.now() });
    await this.#work.begin({ id, kind: 'backup', project, backup: id }, authority);
    const work = async (files: BackupFiles) => {
      await this.#sweep(); // first, as leftovers may take up the room that this one needs
      return makeBackup(this.#options, files, { project, id }, { occasion, run: id });
    };
    return { id, done: this.#work.run({ id, kind: 'backup', project }, work) };
  }

  /** Begins to restore a project from a backup. */
  async startRestore(id: string, restoring: Restoring): Promise<Started<ProjectRecord>> {
    const { catalog, place, now } = this.#options;
    const manifest = await this.#requireFile(id);
    const { as, replace, authority } = restoring;
    const exists = await catalog.hasProject(as);
    if (exists && !replace) throw taken(as);
    if (!exists && replace) throw noProject(as);
    const run = uuidv7({ msecs: now() });
    await this.#work.begin({ id: run, kind: 'restore', project: as, backup: id }, authority);
    const work = async (files: BackupFiles) => {
      const own = { project: as, id: run };
      const copy = await place.draft(own);
      try {
        await fetchBackup(place, manifest, copy);
        const facts = await files.check(copy);
        if (replace) await this.#saveBefore(files, own);
        return await loadBackup(catalog, files, copy, facts, { ...restoring, run }, now());
      } finally {
        await place.discard(own);
      }
    };
    return { id: run, done: this.#work.run({ id: run, kind: 'restore', project: as }, work) };
  }

  /** All of them, the newest first: those made, and those that are under way or failed. */
  async list(project?: string): Promise<readonly (BackupName & { readonly run?: BackupRun })[]> {
    const { place, catalog } = this.#options;
    const known = await catalog.backupRuns.list(); // before the files: if a run ends in between, its file is there by then
    const made = await place.list();
    const there = new Set(made.map(({ id }) => id));
    const runs = known
      .filter(({ kind, id }) => kind === 'backup' && !there.has(id))
      .map((run) => ({ project: run.project, id: run.id, run }));
    const all: (BackupName & { readonly run?: BackupRun })[] = [...made, ...runs];
    return all.filter((one) => project === undefined || one.project === project).sort(newestFirst);
  }

  async find(id: string): Promise<KnownBackup | undefined> {
    const { place, catalog } = this.#options;
    const runs = await catalog.backupRuns.list();
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

  /** The file as it is. */
  async file(
    id: string,
  ): Promise<{ manifest: Manifest; body: AsyncGenerator<Uint8Array<ArrayBuffer>, void> }> {
    const manifest = await this.#requireFile(id);
    return { manifest, body: this.#options.place.read({ project: manifest.project, id }) };
  }

  /** Returns the project that it was of. */
  async remove(id: string, authority?: Authority): Promise<string> {
    const { place, catalog } = this.#options;
    const found = await this.find(id);
    if (!found) throw noBackup(id);
    if (found.kind === 'run') {
      if (found.run.status === 'running')
        throw new Failure('conflict', `The backup ${id} is being made: delete it when it is done`);
      await catalog.backupRuns.forget(id, authority);
      return found.run.project;
    }
    const { project } = found.manifest;
    await catalog.backupRuns.forget(id, authority); // removes a run that died after its file was made, and checks the authority in any case
    if (!(await place.remove({ project, id }))) throw noBackup(id);
    return project;
  }

  /** When the newest good backup of a project, or of any, was made, in milliseconds since 1970; undefined: there is none. */
  async newestGood(project?: string): Promise<number | undefined> {
    const found = (await this.#options.place.list()).find(
      (name) => project === undefined || name.project === project,
    );
    return found && timeOf(found);
  }

  /** Seconds since the last good backup of the project that waits longest for one; NaN: not known. */
  age(): Promise<number> {
    return this.#age.seconds();
  }

  /** Backs up the project that is to be replaced, within the restore's run. */
  async #saveBefore(files: BackupFiles, { project, id: run }: BackupName): Promise<void> {
    const id = uuidv7({ msecs: this.#options.now() });
    try {
      await makeBackup(this.#options, files, { project, id }, { occasion: 'replace', run });
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unavailable') throw error; // it may succeed next time
      const why = `The project '${project}' can't be backed up before it is replaced (${reasonOf(error)})`;
      const failure = new Failure('conflict', `${why}: delete it, and restore without replace`);
      failure.cause = error;
      throw failure;
    }
  }

  /**
   * `answered`: settles when no request needs the backups any more. A storage that does not answer holds up nobody for longer
   * than that, not even the job.
   */
  async close(answered: Promise<void> = Promise.resolve()): Promise<void> {
    const { place } = this.#options;
    const end = () => place.close();
    setTimeout(() => void answered.then(end, end), lastMoments).unref();
    await this.#work.close();
  }

  /** Removes what processes that died left behind. If that fails, backups are made all the same. */
  async #sweep(): Promise<void> {
    const { place, catalog, log } = this.#options;
    const isOver = async ({ project, id }: BackupName) => {
      const runs = await catalog.backupRuns.running();
      // A restore may be making a backup of the project that it replaces, which has an id of its own.
      return !runs.some((run) => run.id === id || (run.kind === 'restore' && run.project === project));
    };
    await place.sweep(isOver).catch((error: unknown) => {
      log.error("what is left of backups that came to nothing can't be removed", error);
    });
  }

  /** The manifest of a backup whose file is there. */
  async #requireFile(id: string): Promise<Manifest> {
    const found = await this.find(id);
    if (!found) throw noBackup(id);
    if (found.kind === 'made') {
      const { manifest } = found;
      if (await this.#options.place.hasFile({ project: manifest.project, id })) return manifest;
      throw new Failure(
        'absent',
        `The backup ${id} can't be used, as its file is not there any more: put it back, or delete the backup`,
      );
    }
    const why = found.run.status === 'running' ? 'is being made' : 'failed, so that there is no file';
    throw new Failure('conflict', `The backup ${id} ${why}`);
  }
}

export function noBackup(id: string): Failure {
  return new Failure('absent', `There is no backup '${id}'`);
}
