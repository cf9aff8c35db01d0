import { isDeepStrictEqual } from 'node:util';
import { Clock } from '../auth/people.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type Storage, startStorage } from '../storage.ts';
import { Side } from './side.ts';
import type { Answer, Difference, Step } from './step.ts';

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
    const apps = await Promise.all(storages.map((storage) => startApp({ storage, now: clock.now })));
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
    for (const step of steps) {
      const told = await conversation.send(step);
      if ('sqlite' in told) return told;
    }
    return undefined;
  }
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

  /** The answer of both, or how they differ. */
  async send(step: Step): Promise<Answer | Difference> {
    this.#clock.move(step.wait ?? 1);
    const [sqlite, postgres] = await Promise.all([this.#sqlite.send(step), this.#postgres.send(step)]);
    const sound = sqlite.status < 500;
    return sound && isDeepStrictEqual(sqlite, postgres) ? sqlite : { step, sqlite, postgres };
  }
}
