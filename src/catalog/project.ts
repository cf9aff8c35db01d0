import type { CursorCipher } from '../access/cursor-cipher.ts';
import type { Tokens } from '../access/token.ts';
import type { Schema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { verifiedStore } from './verified-store.ts';

/** A project that is open, under one schema: another attempt at the same work may be under a newer one. */
export interface Project {
  readonly id: string;
  readonly store: Store;
  readonly schema: Schema;
  readonly tokens: Tokens;
  readonly cipher: CursorCipher;
}

/** A project's store and what this process remembers of it. */
export class OpenProject {
  readonly id: string;
  readonly store: Store;
  readonly tokens: Tokens;
  readonly cipher: CursorCipher;
  inUse = 0;
  lastUsed = 0;
  /** The end of the last change of the schema: they happen one after the other. */
  changing: Promise<unknown> = Promise.resolve();
  #schema: Schema;
  #verified: Store;
  #reloading: Promise<void> | undefined;
  /** Loads are numbered as they begin; this one was the last to begin, and the other is the one that is known. */
  #begun = 0;
  #loaded = 0;

  constructor({ id, store, schema, tokens, cipher }: Project) {
    this.id = id;
    this.store = store;
    this.tokens = tokens;
    this.cipher = cipher;
    this.#schema = schema;
    this.#verified = verifiedStore(store, schema.version);
  }

  /** The project under the schema that is known, for one attempt at some work. */
  attempt(): Attempt {
    return new Attempt(this, this.#schema, this.#verified);
  }

  /** Has the schema known that there is when this is called. */
  async load(): Promise<void> {
    const load = ++this.#begun;
    const schema = await this.store.schema();
    if (load < this.#loaded) return; // one that began later came first
    this.#loaded = load;
    if (schema.version === this.#schema.version) return;
    this.#schema = schema;
    this.#verified = verifiedStore(this.store, schema.version);
  }

  /** Has a newer schema known than `version`; many who find it stale at the same moment load it once. */
  async renew(version: number): Promise<void> {
    if (this.#schema.version !== version) return;
    this.#reloading ??= this.load().finally(() => {
      this.#reloading = undefined;
    });
    await this.#reloading;
  }

  /** Has the schema known that there is when this is called, at the price of a look-up where it is already. */
  async refresh(): Promise<void> {
    if ((await this.store.schemaVersion()) !== this.#schema.version) await this.load();
  }
}

/** What work gets to see. Its schema stays the same, whatever happens meanwhile. */
export class Attempt implements Project {
  readonly open: OpenProject;
  readonly store: Store;
  readonly #schema: Schema;
  /** Work that did not look at the schema does not depend on it. */
  looked = false;

  constructor(open: OpenProject, schema: Schema, store: Store) {
    this.open = open;
    this.store = store;
    this.#schema = schema;
  }

  get id(): string {
    return this.open.id;
  }

  get tokens(): Tokens {
    return this.open.tokens;
  }

  get cipher(): CursorCipher {
    return this.open.cipher;
  }

  get schema(): Schema {
    this.looked = true;
    return this.#schema;
  }

  get version(): number {
    return this.#schema.version;
  }
}
