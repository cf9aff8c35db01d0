import { useEffect, useState } from 'preact/hooks';
import type { Definition } from '../../client/admin.ts';
import { recordsOf } from '../api.ts';
import { viewerKey } from '../viewer.ts';
import { type AnyRecord, labelField } from './fields.ts';

/**
 * What related records are called. They are asked for by their ids, all that a screen needs in one request, with the one field
 * that is shown: a related record may be large.
 */
class Labels {
  readonly #known = new Map<string, string | null>();
  readonly #wanted = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #load: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

  constructor(load: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>) {
    this.#load = load;
  }

  /** undefined: not known yet. null: there is no such record. */
  get(id: string): string | null | undefined {
    return this.#known.get(id);
  }

  set(id: string, label: string): void {
    this.#known.set(id, label);
    this.#tell();
  }

  want(ids: readonly string[]): void {
    const fresh = ids.filter((id) => !this.#known.has(id) && !this.#wanted.has(id));
    if (fresh.length === 0) return;
    const waiting = this.#wanted.size > 0;
    for (const id of fresh) this.#wanted.add(id);
    if (!waiting) setTimeout(() => void this.#fetch());
  }

  async #fetch(): Promise<void> {
    const ids = [...this.#wanted];
    for (let at = 0; at < ids.length; at += mostAtOnce) {
      const some = ids.slice(at, at + mostAtOnce);
      try {
        const found = await this.#load(some);
        for (const id of some) this.#known.set(id, found.get(id) ?? null);
      } catch {} // the ids are shown in their place, and asked for again another time
    }
    this.#wanted.clear();
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Ids in one address: it has a limit of 16 KB. */
const mostAtOnce = 200;
const all = new Map<string, Labels>();

export function labelsOf(project: string, definition: Definition): Labels {
  const field = labelField(definition);
  const key = JSON.stringify([project, definition.id, field, viewerKey(project)]);
  let labels = all.get(key);
  if (!labels) {
    labels = new Labels(async (ids) => {
      const { found } = await recordsOf(project, definition.id).list({
        where: { _id: [...ids] },
        fields: field === undefined ? ['_id'] : [field],
        perPage: ids.length,
      });
      return new Map(
        (found as readonly object[] as readonly AnyRecord[]).map((record) => [
          record._id,
          labelOf(definition, record),
        ]),
      );
    });
    all.set(key, labels);
  }
  return labels;
}

/** What a record is called: the value of the field that names it, or its id. */
export function labelOf(definition: Definition | undefined, record: AnyRecord): string {
  const field = labelField(definition);
  const value = field === undefined ? undefined : record[field];
  return typeof value === 'string' && value !== '' ? value : record._id;
}

/** Shows the labels of these records once they are there. */
export function useLabels(
  project: string,
  definition: Definition | undefined,
  ids: readonly string[],
): (id: string) => string | null | undefined {
  const [, render] = useState({});
  const labels = definition && labelsOf(project, definition);
  useEffect(() => labels?.listen(() => render({})), [labels]);
  useEffect(() => labels?.want(ids), [labels, ids.join()]);
  return (id) => labels?.get(id);
}
