import { useEffect, useMemo, useState } from 'preact/hooks';
import { messageOf, type Records } from '../../api.ts';
import type { AnyRecord } from '../../model/fields.ts';
import { type ListQuery, whereOf, writeApiQuery } from '../../model/list-query.ts';

const perPage = 100;

interface ListEvents {
  readonly changed: () => void;
  /** A record was saved, here or by somebody else. */
  readonly put: (record: AnyRecord) => void;
}

/** The records of a query, loaded page by page as the user scrolls. They are not counted. */
export class RecordList {
  rows: readonly AnyRecord[] = [];
  state: 'loading' | 'more' | 'end' | 'failed' = 'loading';
  error: string | undefined;
  readonly #pages: AsyncIterator<{ readonly found: readonly object[] }>;
  readonly #changed: () => void;
  readonly #onPut: (record: AnyRecord) => void;
  #loading = false;
  #stopped = false;

  constructor(records: Records, query: ListQuery, fields: readonly string[], on: ListEvents) {
    const { conditions, search, sort } = query;
    this.#changed = on.changed;
    this.#onPut = on.put;
    this.#pages = records
      .all({
        where: whereOf(conditions),
        ...(search !== '' && { search }),
        ...(sort.length > 0 && { sort: [...sort] }),
        fields: [...fields],
        perPage,
      })
      .pages()
      [Symbol.asyncIterator]();
    void this.load();
  }

  async load(): Promise<void> {
    if (this.#loading || this.#stopped || this.state === 'end') return;
    this.#loading = true;
    try {
      const { done, value } = await this.#pages.next();
      if (this.#stopped) return;
      if (!done) this.rows = [...this.rows, ...(value.found as AnyRecord[])];
      // A page that is not full is the last one, unless the server cut it for its size: then there is a next one.
      this.state = done ? 'end' : 'more';
      if (!done && value.found.length < perPage && 'next' in value && value.next === null) this.state = 'end';
    } catch (error) {
      if (this.#stopped) return;
      this.state = 'failed';
      this.error = messageOf(error);
    } finally {
      this.#loading = false;
    }
    this.#changed();
  }

  /** Updates a record in its row, or adds it at the top. */
  put(record: AnyRecord): void {
    const at = this.rows.findIndex(({ _id }) => _id === record._id);
    this.rows = at < 0 ? [record, ...this.rows] : this.rows.with(at, { ...this.rows[at], ...record });
    this.#onPut(record);
    this.#changed();
  }

  remove(ids: ReadonlySet<string>): void {
    this.rows = this.rows.filter(({ _id }) => !ids.has(_id));
    this.#changed();
  }

  stop(): void {
    this.#stopped = true;
    void this.#pages.return?.();
  }
}

/** `generation`: another number reloads everything. */
export function useRecordList(
  records: Records,
  query: ListQuery,
  fields: readonly string[],
  generation: number,
  put: ListEvents['put'],
): RecordList {
  const [, render] = useState({});
  const key = `${writeApiQuery(query)} ${fields.join()} ${generation}`;
  const list = useMemo(
    () => new RecordList(records, query, fields, { changed: () => render({}), put }),
    [records, key],
  );
  useEffect(() => () => list.stop(), [list]);
  return list;
}
