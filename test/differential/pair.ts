import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { Clock } from '../auth/people.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type Storage, startStorage } from '../storage.ts';
import { Side } from './side.ts';
import { type Answer, type Difference, recordId, type Step } from './step.ts';

/** The step whose request is being answered, and how many records it has made. */
const making = new AsyncLocalStorage<{ readonly step: number; nth: number }>();

/** The product over SQLite and over PostgreSQL, under one clock. */
export class Pair {
  readonly #clock: Clock;
  readonly #sqlite: TestApp;
  readonly #postgres: TestApp;
  readonly #storages: readonly Storage[];
  #projects = 0;

  private constructor(clock: Clock, sqlite: TestApp, postgres: TestApp, storages: readonly Storage[]) {
    this.#clock = clock;
    this.#sqlite = sqlite;
    this.#postgres = postgres;
    this.#storages = storages;
  }

  static async start(): Promise<Pair> {
    const clock = new Clock();
    const storages = [await startStorage('sqlite'), await startStorage('postgres')];
    const newId = () => {
      const made = making.getStore();
      if (!made) throw new Error('a record that no step makes');
      made.nth += 1;
      return recordId(made.step, made.nth - 1);
    };
    const apps = await Promise.all(storages.map((storage) => startApp({ storage, now: clock.now, newId })));
    const [sqlite, postgres] = apps as [TestApp, TestApp];
    return new Pair(clock, sqlite, postgres, storages);
  }

  async close(): Promise<void> {
    await Promise.all([this.#sqlite.close(), this.#postgres.close()]);
    await Promise.all(this.#storages.map((storage) => storage.remove()));
  }

  get errors(): readonly unknown[] {
    return [...this.#sqlite.errors, ...this.#postgres.errors];
  }

  /** A project on each side that nothing was sent to yet. */
  begin(): Conversation {
    this.#projects += 1;
    const project = `w${this.#projects}`;
    return new Conversation(this.#clock, new Side(this.#sqlite, project), new Side(this.#postgres, project));
  }

  /** What differs when these are sent from the start, if anything does. */
  async replay(steps: readonly Step[]): Promise<Difference | undefined> {
    const conversation = this.begin();
    for (const group of together(steps)) {
      const told = await conversation.send(group);
      const difference = told.find((one) => 'sqlite' in one);
      if (difference) return difference;
    }
    return undefined;
  }
}

/** Those that are sent at the same moment. */
function together(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last && step.burst !== undefined && last[0]?.burst === step.burst) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

class Conversation {
  readonly #clock: Clock;
  readonly #sqlite: Side;
  readonly #postgres: Side;

  constructor(clock: Clock, sqlite: Side, postgres: Side) {
    this.#clock = clock;
    this.#sqlite = sqlite;
    this.#postgres = postgres;
  }

  /** To each its answer, or how the answers differ. */
  async send(group: readonly Step[]): Promise<(Answer | Difference)[]> {
    this.#clock.move(group[0]?.wait ?? 1);
    return Promise.all(group.map((step) => this.#ask(step)));
  }

  async #ask(step: Step): Promise<Answer | Difference> {
    const sides = [this.#sqlite, this.#postgres].map((side) =>
      making.run({ step: step.n, nth: 0 }, () => side.send(step)),
    );
    const [sqlite, postgres] = (await Promise.all(sides)) as [Answer, Answer];
    const sound = sqlite.status < 500;
    return sound && isDeepStrictEqual(sqlite, postgres) ? sqlite : { step, sqlite, postgres };
  }
}
