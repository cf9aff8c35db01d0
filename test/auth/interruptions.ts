import type { Accounts } from '../../src/store/accounts.ts';
import type { Engine } from '../../src/store/engine.ts';

const accountCalls = [
  ...(['createUser', 'updateUser', 'replaceProfiles'] as const),
  ...(['addIdentity', 'confirmFactor', 'openSession'] as const),
] as const;
type Interrupted = 'updateProject' | (typeof accountCalls)[number];
type Calls = Record<string, (...args: never[]) => unknown>;

/** What others do in the middle of a request: once each, just before or after it calls the engine. */
export class Interruptions {
  readonly #before = new Map<Interrupted, () => Promise<unknown>>();
  readonly #after = new Map<Interrupted, () => Promise<unknown>>();

  before(call: Interrupted, work: () => Promise<unknown>): void {
    this.#before.set(call, work);
  }

  after(call: Interrupted, work: () => Promise<unknown>): void {
    this.#after.set(call, work);
  }

  readonly wrap = (engine: Engine): Engine => ({
    ...engine,
    ...this.#interrupted(engine, ['updateProject']),
    openProject: async (id) => {
      const store = await engine.openProject(id);
      return { ...store, accounts: this.#accounts(store.accounts) };
    },
  });

  #accounts(accounts: Accounts): Accounts {
    return {
      ...accounts,
      ...this.#interrupted(accounts, accountCalls),
      as: (authority) => this.#accounts(accounts.as(authority)),
    };
  }

  #interrupted<T extends object, Name extends Interrupted & keyof T>(
    calls: T,
    names: readonly Name[],
  ): Pick<T, Name> {
    const wrapped = names.map((name) => {
      const call = async (...args: never[]) => {
        await this.#take(this.#before, name);
        const answer = await (calls as unknown as Calls)[name]?.(...args);
        await this.#take(this.#after, name);
        return answer;
      };
      return [name, call] as const;
    });
    return Object.fromEntries(wrapped) as unknown as Pick<T, Name>;
  }

  /** Removed first: what it does may make the same call. */
  async #take(works: Map<Interrupted, () => Promise<unknown>>, call: Interrupted): Promise<void> {
    const work = works.get(call);
    works.delete(call);
    await work?.();
  }
}
