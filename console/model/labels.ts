import { useEffect, useState } from 'preact/hooks';
import type { Definition } from '../../client/admin.ts';
import { recordsOf } from '../api.ts';
import { viewerKey } from '../viewer.ts';
import { type AnyRecord, labelField } from './fields.ts';

interface Known {
  /** null: there is no such record. */
  readonly label: string | null;
  readonly at: number;
}

/** Milliseconds after which a label is loaded again when it is shown again; the old one is shown until then. */
const freshTime = 15_000;

/**
 * The labels of related records. They are loaded by id, all that a screen needs in one request, and only the field that is
 * shown: a related record may be large.
 */
class Labels {
  readonly #known = new Map<string, Known>();
  readonly #wanted = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #load: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

  constructor(load: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>) {
    this.#load = load;
  }

  /** undefined: not known yet. null: there is no such record. */
  get(id: string): string | null | undefined {
    return this.#known.get(id)?.label;
  }

  set(id: string, label: string): void {
    this.#learn(new Map([[id, label]]));
  }

  #learn(labels: ReadonlyMap<string, string | null>): void {
    const changed = [...labels].some(([id, label]) => this.get(id) !== label);
    for (const [id, label] of labels) this.#known.set(id, { label, at: Date.now() });
    if (changed) this.#tell();
  }

  want(ids: readonly string[]): void {
    const oldest = Date.now() - freshTime;
    const wanted = ids.filter((id) => (this.#known.get(id)?.at ?? 0) < oldest);
    const waiting = this.#wanted.size > 0;
    for (const id of wanted) this.#wanted.add(id);
    if (!waiting && wanted.length > 0) setTimeout(() => void this.#fetch());
  }

  /** Goes on until nothing is wanted any more, including what was added meanwhile. */
  async #fetch(): Promise<void> {
    while (this.#wanted.size > 0) {
      const some = [...this.#wanted].slice(0, mostAtOnce);
      const asked = Date.now();
      try {
        const found = await this.#load(some);
        // A label that was set during the request is newer than the answer.
        const old = some.filter((id) => (this.#known.get(id)?.at ?? 0) < asked);
        this.#learn(new Map(old.map((id) => [id, found.get(id) ?? null])));
      } catch {} // the ids are shown instead, and loaded again another time
      for (const id of some) this.#wanted.delete(id);
    }
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Ids in one request: an address is at most 16 KB long. */
const mostAtOnce = 200;
const all = new Map<string, Labels>();

export function labelsOf(project: string, definition: Definition): Labels {
  const field = labelField(definition);
  const key = JSON.stringify([project, definition.id, field, viewerKey(project)]);
  let labels = all.get(key);
  if (!labels) {
    // With the rights of whoever is looking now: somebody else may be by the time it is used.
    const records = recordsOf(project, definition.id);
    labels = new Labels(async (ids) => {
      const { found } = await records.list({
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

/** The label of a record: the value of the field that names it, or its id. */
export function labelOf(definition: Definition | undefined, record: AnyRecord): string {
  const field = labelField(definition);
  const value = field === undefined ? undefined : record[field];
  return typeof value === 'string' && value.trim() !== '' ? value : record._id;
}

/** The labels of these records, once they are loaded. */
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
