import type { Awaitable } from '../awaitable.ts';
import { Failure, type FailureKind } from '../failure.ts';
import { ProjectGone, StaleSchema } from '../store/schema.ts';
import type { OpenProjects } from './open-projects.ts';
import type { Attempt, OpenProject, Project } from './project.ts';

type Work<T> = (project: Project) => Awaitable<T>;

/**
 * again: the store verifies, by reading or writing records, that the work is done under the current schema.
 * fresh: the work answers from the schema alone, so that is made sure of before.
 * once: the work can't be done twice; it begins under the current schema and fails where that changes.
 */
export type How = 'again' | 'fresh' | 'once';

/** Each attempt is under the newest schema, so a second is hardly ever needed. */
const mostAttempts = 20;

/** Refusals that are about the request as such or the state of the server, whatever the schema. */
const beyondSchema: ReadonlySet<FailureKind> = new Set([
  'verb',
  'tooLarge',
  'uriTooLong',
  'mediaType',
  'tooMany',
  'notSetUp',
  'unavailable',
  'tooSlow',
]);

/**
 * Work with projects. What is remembered of a project may be overtaken any time, also by another process: work is
 * tried under it, and what comes of that is believed only if it still held then.
 */
export class Attempts {
  readonly #projects: OpenProjects;

  constructor(projects: OpenProjects) {
    this.#projects = projects;
  }

  /**
   * Runs `work` with a project that stays open meanwhile; once more if its schema changed under way or the project
   * was deleted. No write is done twice by that: the store refuses before it writes, or not at all.
   */
  async use<T>(id: string, work: Work<T>, how: How = 'again'): Promise<T> {
    for (let attempts = 1; attempts <= mostAttempts; attempts++) {
      const open = this.#projects.find(id) ?? (await this.#projects.open(id));
      this.#projects.take(open);
      if (how !== 'again' && !(await this.#refresh(open))) continue;
      const attempt = open.attempt();
      const outcome = await this.#conclude(open, attempt, begin(work, attempt));
      if (outcome) return outcome.answer;
      if (how === 'once') break;
    }
    throw changedMeanwhile(id);
  }

  /** Like `use`, without a promise where neither the project nor the work needs one. */
  useNow<T>(id: string, work: Work<T>): Awaitable<T> {
    const open = this.#projects.find(id);
    if (!open) return this.use(id, work);
    this.#projects.take(open);
    const attempt = open.attempt();
    const answer = begin(work, attempt);
    if (answer instanceof Promise || !attempt.looked) {
      const concluded = this.#conclude(open, attempt, answer);
      return concluded.then((outcome) => (outcome ? outcome.answer : this.use(id, work)));
    }
    this.#projects.release(open);
    return answer;
  }

  /** Has the current schema known; false where the project is no more. */
  async #refresh(open: OpenProject): Promise<boolean> {
    try {
      await open.refresh();
      return true;
    } catch (error) {
      if (error instanceof ProjectGone) this.#projects.drop(open);
      this.#projects.release(open);
      if (error instanceof ProjectGone) return false;
      throw error;
    }
  }

  /** What came of the work; undefined where it was done under what is no more. */
  async #conclude<T>(
    open: OpenProject,
    attempt: Attempt,
    answer: Awaitable<T>,
  ): Promise<{ answer: T } | undefined> {
    try {
      const done = await answer;
      if (attempt.looked || (await isThere(open))) return { answer: done };
      this.#projects.drop(open);
    } catch (error) {
      await this.#overtaken(open, attempt, error);
    } finally {
      this.#projects.release(open);
    }
    return undefined;
  }

  /** Throws what is to be told; returns where the work was tried under a schema or a project that is no more. */
  async #overtaken(open: OpenProject, attempt: Attempt, error: unknown): Promise<void> {
    try {
      if (error instanceof StaleSchema) return await open.renew(attempt.version);
      if (!(error instanceof Failure) || beyondSchema.has(error.kind)) throw error;
      const version = await open.store.schemaVersion();
      if (version === attempt.version || !attempt.looked) throw error;
      await open.renew(attempt.version);
    } catch (told) {
      if (!(told instanceof ProjectGone)) throw told;
      this.#projects.drop(open);
    }
  }

  /** Runs `work` when no other change of the project's schema is under way here, under the current schema. */
  change<T>(id: string, work: Work<T>): Promise<T> {
    return this.use(id, (project) => {
      const { open } = project as Attempt;
      const change = open.changing.then(async () => {
        await open.load();
        const result = await work(open.attempt());
        await open.load().catch(() => {}); // the change is made, whatever becomes of this: whoever comes next loads it
        return result;
      });
      open.changing = change.catch(() => {});
      return change;
    });
  }
}

/** What is thrown at once becomes a promise like what is thrown later. */
function begin<T>(work: Work<T>, attempt: Attempt): Awaitable<T> {
  try {
    return work(attempt);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Asked after the work and not before: what was done meanwhile in a project that is no more counts for nothing. */
async function isThere({ store }: OpenProject): Promise<boolean> {
  try {
    await store.schemaVersion();
    return true;
  } catch (error) {
    return !(error instanceof ProjectGone); // the work is done, and its success known
  }
}

function changedMeanwhile(id: string): Failure {
  return new Failure('unavailable', `The project '${id}' was changed meanwhile: try again`, {
    retryAfter: 1,
  });
}
