import type { Awaitable } from '../awaitable.ts';
import { Failure, type FailureKind } from '../failure.ts';
import { ProjectGone, StaleSchema } from '../store/schema.ts';
import type { OpenProjects, Why } from './open-projects.ts';
import type { OpenProject, Project, ProjectAccounts } from './project.ts';

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

/** What came of work that was done under what still held; undefined where that had changed or was gone. */
type Outcome<T> = { readonly answer: T } | undefined;

/**
 * Work with projects. What is known of a project may be overtaken any time, also by another process: work is
 * tried under it, and what comes of that is believed only if it still held then.
 */
export class ProjectWork {
  readonly #projects: OpenProjects;

  constructor(projects: OpenProjects) {
    this.#projects = projects;
  }

  /**
   * Runs `work` with a project that stays open meanwhile; once more if its schema changed under way or the project
   * was deleted. No write is done twice by that: the store refuses before it writes, or not at all.
   */
  use<T>(id: string, work: Work<T>, how: How = 'again'): Promise<T> {
    return this.#repeat(id, async (open) => {
      if (how !== 'again') await open.refresh();
      const project = open.current;
      const outcome = this.#believe(open, project, begin(work, project));
      return how === 'once' ? orRefuse(id, outcome) : outcome;
    });
  }

  /** Like `use`, for what is not done for a caller. */
  keepUp<T>(id: string, work: Work<T>): Promise<T> {
    const attempt = (open: OpenProject) => this.#believe(open, open.current, begin(work, open.current));
    return this.#repeat(id, attempt, 'upkeep');
  }

  /** Like `use`, without a promise where neither the project nor the work needs one. */
  useNow<T>(id: string, work: Work<T>): Awaitable<T> {
    const open = this.#projects.enterNow(id);
    if (!open) return this.use(id, work);
    const project = open.current;
    const answer = begin(work, project);
    if (!(answer instanceof Promise)) {
      this.#projects.leave(open);
      return answer;
    }
    const outcome = this.#whileOpen(open, () => this.#believe(open, project, answer));
    return outcome.then((done) => (done ? done.answer : this.use(id, work)));
  }

  /** For work that no schema is about: all that can happen is that the project is deleted. */
  useAccounts<T>(id: string, work: (project: ProjectAccounts) => Promise<T>): Promise<T> {
    return this.#repeat(id, async (open) => {
      try {
        const answer = await work(open.current);
        await isThere(open);
        return { answer };
      } catch (error) {
        if (error instanceof Failure && !beyondSchema.has(error.kind)) await open.store.schemaVersion();
        throw error;
      }
    });
  }

  /** Runs `work` when no other change of the project's schema is under way here, under the current schema. */
  change<T>(id: string, work: (project: Project) => Promise<T>): Promise<T> {
    return this.#repeat(id, async (open) => {
      const { schema } = open.current;
      try {
        return { answer: await open.change(work) };
      } catch (error) {
        if (!(error instanceof StaleSchema)) throw error;
        await open.replace(schema);
        return undefined;
      }
    });
  }

  async #repeat<T>(id: string, attempt: (open: OpenProject) => Promise<Outcome<T>>, why?: Why): Promise<T> {
    for (let attempts = 1; attempts <= mostAttempts; attempts++) {
      const open = await this.#projects.enter(id, why);
      const outcome = await this.#whileOpen(open, () => attempt(open));
      if (outcome) return outcome.answer;
    }
    throw changedMeanwhile(id);
  }

  /** A project that turns out to be deleted is looked up again. */
  async #whileOpen<T>(open: OpenProject, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ProjectGone)) throw error;
      this.#projects.forget(open);
      return undefined;
    } finally {
      this.#projects.leave(open);
    }
  }

  /** A success holds, as the store has verified it. A refusal may be due to a schema that is no more. */
  async #believe<T>(open: OpenProject, { schema }: Project, answer: Awaitable<T>): Promise<Outcome<T>> {
    try {
      return { answer: await answer };
    } catch (error) {
      if (!(error instanceof StaleSchema)) {
        if (!(error instanceof Failure) || beyondSchema.has(error.kind)) throw error;
        if ((await open.store.schemaVersion()) === schema.version) throw error;
      }
      await open.replace(schema);
      return undefined;
    }
  }
}

/** For work that has taken what it can't take again. */
async function orRefuse<T>(id: string, attempt: Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    const outcome = await attempt;
    if (outcome) return outcome;
  } catch (error) {
    if (!(error instanceof ProjectGone)) throw error;
  }
  throw changedMeanwhile(id);
}

/** What is thrown at once becomes a promise like what is thrown later. */
function begin<T>(work: Work<T>, project: Project): Awaitable<T> {
  try {
    return work(project);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Asked after the work and not before: what was done meanwhile in a project that is no more counts for nothing. */
async function isThere({ store }: OpenProject): Promise<void> {
  try {
    await store.schemaVersion();
  } catch (error) {
    if (error instanceof ProjectGone) throw error; // else the work is done, and its success known
  }
}

function changedMeanwhile(id: string): Failure {
  return new Failure('unavailable', `The project '${id}' was changed meanwhile: try again`, {
    retryAfter: 1,
  });
}
