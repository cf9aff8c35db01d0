import type { Authority } from '../access/authority.ts';
import type { CursorCipher } from '../access/cursor-cipher.ts';
import type { Tokens } from '../access/token.ts';
import { ProjectGone, type Schema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { storeUnder } from './store-under.ts';

/** The users, workspaces and keys of a project, which no schema is about. */
export interface ProjectAccounts {
  readonly id: string;
  readonly store: Pick<Store, 'accounts'>;
  readonly tokens: Tokens;
}

/** A project under one schema. Both stay the same, whatever happens to the project meanwhile. */
export interface Project extends ProjectAccounts {
  readonly store: Store;
  readonly schema: Schema;
  readonly cipher: CursorCipher;
}

/** The project for a caller whose rights are looked at again by whatever writes. The plans of records name them by themselves. */
export function projectAs(project: Project, authority: Authority): Project {
  const { accounts, webhooks } = project.store;
  const store = { ...project.store, accounts: accounts.as(authority), webhooks: webhooks.as(authority) };
  return { ...project, store };
}

export function accountsAs({ id, tokens, store }: ProjectAccounts, authority: Authority): ProjectAccounts {
  return { id, tokens, store: { accounts: store.accounts.as(authority) } };
}

type State =
  | { readonly kind: 'open' }
  /** This process is changing the schema; changes happen one after the other, in the order they came. */
  | { readonly kind: 'changing'; readonly ended: Promise<void> }
  /** It was deleted: those who still use it may finish what they began. */
  | { readonly kind: 'gone' };

/** A project's store and what this process knows of it. */
export class OpenProject {
  readonly id: string;
  readonly store: Store;
  inUse = 0;
  lastUsed = 0;
  #current: Project;
  #state: State = { kind: 'open' };
  #reloading: Promise<void> | undefined;
  /** Loads of the schema are numbered as they begin, so that an older one never replaces a newer one. */
  #begun = 0;
  #loaded = 0;

  constructor(project: Project) {
    this.id = project.id;
    this.store = project.store;
    this.#current = { ...project, store: storeUnder(project.schema, project.store) };
  }

  /** The project under the schema that this process knows. */
  get current(): Project {
    return this.#current;
  }

  markGone(): void {
    this.#state = { kind: 'gone' };
  }

  /** Loads the schema as it is now. */
  async load(): Promise<void> {
    const number = ++this.#begun;
    const schema = await this.store.schema();
    if (number < this.#loaded) return; // a load that began later was done first
    this.#loaded = number;
    if (schema.version === this.#current.schema.version) return;
    this.#current = { ...this.#current, schema, store: storeUnder(schema, this.store) };
  }

  /** Loads a newer schema than this one; many who find it stale at the same moment load it once. */
  async replace({ version }: Schema): Promise<void> {
    if (this.#current.schema.version !== version) return;
    this.#reloading ??= this.load().finally(() => {
      this.#reloading = undefined;
    });
    await this.#reloading;
  }

  /** Loads the schema as it is now. Where it is known already this costs one look-up. */
  async refresh(): Promise<void> {
    if ((await this.store.schemaVersion()) !== this.#current.schema.version) await this.load();
  }

  /** Runs `work` under the current schema, when this process has no other change of it under way. */
  change<T>(work: (project: Project) => Promise<T>): Promise<T> {
    if (this.#state.kind === 'gone') return Promise.reject(new ProjectGone());
    const before = this.#state.kind === 'changing' ? this.#state.ended : Promise.resolve();
    const changed = before.then(() => this.#change(work));
    const changing: State = {
      kind: 'changing',
      ended: changed.then(nothing, nothing).then(() => {
        if (this.#state === changing) this.#state = { kind: 'open' };
      }),
    };
    this.#state = changing;
    return changed;
  }

  async #change<T>(work: (project: Project) => Promise<T>): Promise<T> {
    await this.load();
    const result = await work(this.#current);
    await this.load().catch(nothing); // the change is made, even if this fails: the next one who needs the schema loads it
    return result;
  }
}

function nothing(): void {}
