import type { Catalog } from '../catalog/catalog.ts';
import type { ServerKey } from '../store/accounts.ts';
import { Lru } from '../store/cache.ts';

const hour = 60 * 60_000;

/** Records in which hour server keys were last used. No request waits for it or fails because of it. */
export class KeyUses {
  readonly #catalog: Catalog;
  /** The hour last written for each key, so that requests within one hour write only once. */
  readonly #noted = new Lru<string, number>({ most: 10_000 });

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  note(project: string, { id, used }: ServerKey, now: number): void {
    const current = now - (now % hour);
    if ((used ?? 0) >= current || this.#noted.get(id) === current) return;
    this.#noted.set(id, current);
    const noted = this.#catalog.useAccounts(project, ({ store }) => store.accounts.noteKeyUse(id, current));
    noted.catch(() => this.#noted.delete(id)); // the next request tries again
  }
}
