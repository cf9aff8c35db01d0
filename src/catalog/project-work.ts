import type { Awaitable } from '../awaitable.ts';
import { Failure, type FailureKind } from '../failure.ts';
import { ProjectGone, StaleSchema } from '../store/schema.ts';
import type { OpenProjects, Why } from './open-projects.ts';
import type { OpenProject, Project, ProjectAccounts } from './project.ts';

type Work<T> = (project: Project) => Awaitable<T>;

/**
 * again: the store checks, when it reads or writes records, that the work was done under the current schema. fresh: the work
 * answers from the schema alone, so the schema is refreshed first. once: the work can't be repeated; it begins under the
 * current schema and fails if that changes.
 */
export type How = 'again' | 'fresh' | 'once';

/** Each attempt uses the newest schema, so a second is hardly ever needed. */
const mostAttempts = 20;

/** Refusals that are about the request as such, or the state of the server, and do not depend on the schema. */
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

/** The answer, if the schema and the project still held when the work was done; undefined otherwise. */
type Outcome<T> = { readonly answer: T } | undefined;

/**
 * Runs work on projects. Another process may change or delete a project at any time, so work is tried under what is known here,
 * and its result counts only if that still held.
 */
export class ProjectWork {
  readonly #projects: OpenProjects;

  constructor(projects: OpenProjects) {
    this.#projects = projects;
  }

  /**
   * Runs `work` with a project that stays open meanwhile, and runs it again if the schema changed or the project was deleted.
   * No write happens twice: the store refuses before it writes, or not at all.
   */
  use<T>(id: string, work: Work<T>, how: How = 'again'): Promise<T> {
    return this.#repeat(id, async (open) => {
      if (how !== 'again') await open.refresh();
      const project = open.current;
      const outcome = this.#believe(open, project, begin(work, project));
      return how === 'once' ? orRefuse(id, outcome) : outcome;
    });
  }

  /** Like `use`, for work that no caller asked for. */
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

  /** For work that does not depend on a schema: all that can happen is that the project is deleted. */
  useAccounts<T>(id: string, work: (project: ProjectAccounts) => Promise<T>): Promise<T> {
    return this.#repeat(id, async (open) => {
      try {
        const answer = await work(open.current);
        await requireThere(open);
        return { answer };
      } catch (error) {
        if (error instanceof Failure && !beyondSchema.has(error.kind)) await open.store.schemaVersion();
        throw error;
      }
    });
  }

  /** Runs `work` under the current schema, when this process has no other change of it under way. */
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

  /** A project that turns out to be deleted is forgotten, so that the id is looked up again. */
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

  /** A success counts, as the store has checked it. A refusal may be due to a schema that has been replaced. */
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

/** For work that can't be repeated, as it has consumed its input. */
async function orRefuse<T>(id: string, attempt: Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    const outcome = await attempt;
    if (outcome) return outcome;
  } catch (error) {
    if (!(error instanceof ProjectGone)) throw error;
  }
  throw changedMeanwhile(id);
}

/** Turns an error that is thrown at once into a rejected promise, like one that is thrown later. */
function begin<T>(work: Work<T>, project: Project): Awaitable<T> {
  try {
    return work(project);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Throws where the project was deleted. Checked after the work: what was done in a deleted project does not count. */
async function requireThere({ store }: OpenProject): Promise<void> {
  try {
    await store.schemaVersion();
  } catch (error) {
    if (error instanceof ProjectGone) throw error; // any other error changes nothing: the work is done
  }
}

function changedMeanwhile(id: string): Failure {
  return new Failure('unavailable', `The project '${id}' was changed meanwhile: try again`, {
    retryAfter: 1,
  });
}
