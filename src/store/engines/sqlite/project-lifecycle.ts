import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Authority } from '../../../access/authority.ts';
import { Failure } from '../../../failure.ts';
import type { DeleteOptions, Permit } from '../../engine.ts';
import { losesRecords } from '../../loses-records.ts';
import type { ProjectRecord } from '../../project-record.ts';
import { checkAuthority } from '../../sql/accounts/check-authority.ts';
import type { Connection } from '../../sql/dialect.ts';
import { checkRun } from '../../sql/instance/backup-runs.ts';
import { noteWaitingWork } from '../../sql/instance/noted-work.ts';
import { findProject } from '../../sql/instance/projects.ts';
import type { Instance } from './connection/instance.ts';
import {
  beginCreation,
  beginDeletion,
  beginReplacement,
  finish,
  forget,
  isReplacement,
  listUnfinished,
  type Unfinished,
} from './register.ts';
import type { Writers } from './writes/writers.ts';

/** Milliseconds before another attempt to finish what could not be finished. */
const pause = 10_000;

/** Creates the file of a new project next to its final place. */
type Draft = (path: string, token: string) => Promise<void>;

/** What could not be finished, and why. */
interface Left extends Unfinished {
  readonly error: unknown;
}

/**
 * Creates, replaces and deletes projects: one procedure over the register (`instance.db`), the project's file and the folder
 * that it is in. Each step is on disk before the next one begins, so a kill or a power cut leaves one of the following
 * states, which the next start completes or undoes:
 *
 *   to create a project                                         recovery from a crash right after this step
 *   1  the draft is created, the folder synced                  an unregistered draft: removed
 *   2  register: the id is reserved, with a token               finished: steps 3 and 4 are done again
 *   3  any file in its place is set aside, the folder synced,
 *      the draft is renamed, the folder synced                  finished: without a draft it is already in place
 *   4  register: the project exists                             nothing left to do
 *
 *   to replace a project, which exists all the time
 *   1  the draft is created, the folder synced                  an unregistered draft: removed
 *   2  register: its replacement, with a token                  finished: steps 3 and 4 are done again
 *   3  the old file is marked as ended, its WAL removed, the
 *      folder synced, the draft renamed, the folder synced      finished: without a draft it is already in place
 *   4  register: the project is the new one                     nothing left to do
 *
 *   to delete a project; if it must be empty, nobody can write to it from that check until the end
 *   1  register: the project is gone, its id still reserved     finished: steps 2 and 3
 *   2  the file is removed, the folder synced                   finished: step 3
 *   3  register: the id is free                                 nothing left to do
 *
 * Work waiting in a draft made from a backup or a copy is announced in step 2, so that it is found however this ends.
 * A new project can't inherit a file, nor can a deleted one come back: the id is not free before the folder is synced.
 * Several processes may do this at the same time. Each finishes whatever it finds unfinished: the token shows which steps
 * have been done.
 */
export class ProjectLifecycle {
  readonly #instance: Instance;
  readonly #writers: Writers;
  readonly #folder: string;
  #recovered: Promise<readonly Left[]> | undefined;
  /** What the last attempt left unfinished, and when that was. */
  #left: readonly Left[] = [];
  #tried = 0;

  constructor(instance: Instance, writers: Writers, folder: string) {
    this.#instance = instance;
    this.#writers = writers;
    this.#folder = folder;
  }

  pathOf(id: string): string {
    return join(this.#folder, `${id}.db`);
  }

  /**
   * Finishes or undoes everything that an earlier process left behind. If that fails for a project it is retried after a pause,
   * without holding up other projects. `id`: retries this one at once, and throws if it can't be finished, because what is in
   * its place is about to be replaced.
   */
  async ready(id?: string): Promise<void> {
    const isOwn = (each: Left) => each.id === id && each.project !== undefined;
    const isDue = this.#left.some(isOwn) || performance.now() - this.#tried > pause;
    if (this.#left.length > 0 && isDue) {
      this.#left = [];
      this.#recovered = undefined;
    }
    this.#recovered ??= this.#recover();
    const own = (await this.#recovered).find(isOwn);
    if (own) throw own.error;
  }

  /** false: the id is taken. */
  async create(
    project: ProjectRecord,
    { draft, authority, run }: { draft?: Draft } & Permit = {},
  ): Promise<boolean> {
    await this.ready();
    const token = newToken();
    const begin = async (db: Connection) => {
      await checkAuthority(db, authority);
      await checkRun(db, run);
      if (draft) await noteWaitingWork(db, project.id);
      return beginCreation(db, { ...project, run }, token);
    };
    if (!(await this.#begin(project.id, token, draft ?? this.#writers.draft, begin))) return false;
    await this.#finishOrUndo({ id: project.id, token, project, run });
    return true;
  }

  /** false: there is no such project. Users of the existing one see it until they see the new one. */
  async replace(project: ProjectRecord, draft: Draft, { authority, run }: Permit): Promise<boolean> {
    await this.ready();
    const token = newToken();
    const begin = async (db: Connection) => {
      await checkAuthority(db, authority);
      await checkRun(db, run);
      await noteWaitingWork(db, project.id);
      return beginReplacement(db, { ...project, run }, token);
    };
    if (!(await this.#begin(project.id, token, draft, begin))) return false;
    const created = { id: project.id, token, project, run };
    try {
      await this.#finish(created).catch(() => this.#finish(created));
    } catch (error) {
      this.#recovered = undefined; // nobody may find it before that is done
      throw unfinished(
        'The project is replaced, though not all of it yet: the rest is done at the next start',
        error,
      );
    }
    return true;
  }

  /** false: there was none. */
  async delete(id: string, { onlyEmpty = false, authority }: DeleteOptions = {}): Promise<boolean> {
    await this.ready();
    if (!onlyEmpty) return this.#delete(id, authority, newToken());
    if (!(await this.#instance.read((db) => findProject(db, id)))) return false;
    const path = this.pathOf(id);
    const token = newToken();
    const records = await this.#writers.seal(path, token);
    if (records > 0) throw losesRecords(`project '${id}'`, records);
    try {
      return await this.#delete(id, authority, token);
    } finally {
      await this.#writers.unseal(path, token);
    }
  }

  async #delete(id: string, authority: Authority | undefined, token: string): Promise<boolean> {
    const begin = async (db: Connection) => {
      await checkAuthority(db, authority);
      return beginDeletion(db, id, token);
    };
    if (!(await this.#beginWith(begin))) return false;
    try {
      await this.#finish({ id, token, project: undefined });
    } catch (error) {
      this.#recovered = undefined;
      throw unfinished(
        'The project is deleted, though not all of its file yet: the rest goes at the next start',
        error,
      );
    }
    return true;
  }

  /** Creates the draft and registers it; false: the register refused. */
  async #begin(
    id: string,
    token: string,
    draft: Draft,
    begin: (db: Connection) => Promise<string | Unfinished>,
  ): Promise<boolean> {
    const path = this.pathOf(id);
    try {
      await draft(path, token);
      if (await this.#beginWith(begin)) return true;
    } catch (error) {
      // If it is unknown whether the registration was committed, the draft may be needed; the next start finds out.
      if (!isUnknown(error)) await this.#writers.discard(path, token);
      throw error;
    }
    await this.#writers.discard(path, token);
    return false;
  }

  async #beginWith(begin: (db: Connection) => Promise<string | Unfinished>): Promise<boolean> {
    for (;;) {
      const begun = await this.#instance.write(({ db }) => begin(db));
      if (typeof begun === 'string') return begun === 'begun';
      await this.#finish(begun);
    }
  }

  async #finish(unfinished: Unfinished): Promise<void> {
    const { id, token, project } = unfinished;
    const path = this.pathOf(id);
    if (!project) await this.#writers.remove(path, token);
    else if (await this.#instance.read((db) => isReplacement(db, unfinished)))
      await this.#writers.replace(path, token);
    else await this.#writers.place(path, token);
    await this.#instance.write(({ db }) => finish(db, unfinished));
  }

  async #finishOrUndo(created: Unfinished): Promise<void> {
    const { id, token } = created;
    try {
      // Twice: an interrupted creation is better finished than undone.
      await this.#finish(created).catch(() => this.#finish(created));
    } catch (error) {
      try {
        // Out of the register first: a missing draft would be taken for one that is already in place.
        await this.#instance.write(({ db }) => forget(db, token));
        await this.#writers.discard(this.pathOf(id), token);
      } catch (cause) {
        throw unfinished(
          'It is not known whether the project was created: check before you try again',
          cause,
        );
      }
      throw error;
    }
  }

  /**
   * Finishes what other processes have begun and may no longer be running to complete. Returns what can't be finished, which
   * does not hold up the rest.
   */
  async finishAll(): Promise<Left[]> {
    const left: Left[] = [];
    for (const each of await this.#instance.read(listUnfinished))
      await this.#finish(each).catch((error: unknown) => left.push({ ...each, error }));
    return left;
  }

  async #recover(): Promise<readonly Left[]> {
    try {
      this.#left = await this.finishAll();
      this.#tried = performance.now();
      // Only then: drafts of unfinished projects are still needed. A draft that can't be removed is in nobody's way.
      if (this.#left.length === 0) await this.#writers.sweep(this.#folder).catch(() => {});
      return this.#left;
    } catch (error) {
      this.#recovered = undefined;
      throw error;
    }
  }
}

const newToken = () => randomBytes(8).toString('hex');

/** Without Retry-After: repeated, the request would mean something else. */
function unfinished(message: string, cause: unknown): Failure {
  const failure = new Failure('unavailable', message);
  failure.cause = cause;
  return failure;
}

const isUnknown = (error: unknown) =>
  error instanceof Failure && error.kind === 'unavailable' && error.detail.retryAfter === undefined;
