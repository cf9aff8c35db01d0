import { useEffect, useRef, useState } from 'preact/hooks';
import type { Records } from '../../api.ts';
import type { AnyRecord } from '../../model/fields.ts';
import { type ListQuery, whereOf } from '../../model/list-query.ts';
import type { RecordList } from './record-list.ts';

/** Milliseconds before the stream is opened, so that it does not delay the first rows. */
const headStart = 500;
/** Milliseconds for which changes of absent records are collected: records created in this tab are in the list by then. */
const gathered = 700;
/** Most absent records that are collected in one round; more are not counted. */
const mostCounted = 500;

/** The position in the change feed up to which this screen is current; it is kept when the list is reloaded. */
interface Place {
  readonly records: Records;
  /** A promise while the first position is being requested. */
  next: string | Promise<string | undefined>;
}

/**
 * Applies the changes of others: shown rows are updated, deleted ones removed. Records that are not in the list are only counted,
 * because inserting rows would move those that the user looks at. Returns that count. A hidden tab catches up when it is visible
 * again.
 */
export function useLive(
  records: Records,
  list: RecordList,
  query: ListQuery,
  fields: readonly string[],
): number {
  const [others, setOthers] = useState<ReadonlySet<string>>(new Set());
  const place = useRef<Place | undefined>(undefined);
  const isVisible = useVisible();
  const isThere = list.state === 'more' || list.state === 'end';
  useEffect(() => setOthers(new Set()), [list]);
  // Requested immediately, so that no change between the first rows and the opening of the stream is missed.
  useEffect(() => {
    place.current = { records, next: records.position().catch(() => undefined) };
  }, [records]);
  useEffect(() => {
    if (!isThere || !isVisible) return;
    const at = place.current;
    if (!at) return;
    const stop = new AbortController();
    const absent = new Absent(records, list, query, (ids) => {
      setOthers((known) => new Set([...known, ...ids]));
    });
    const timer = setTimeout(() => {
      void follow(list, at, fields, absent, stop.signal);
    }, headStart);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [list, isThere, isVisible]);
  return others.size;
}

/** Follows the feed until aborted. A caller who may not use it still has the list, without live updates. */
async function follow(
  list: RecordList,
  place: Place,
  fields: readonly string[],
  absent: Absent,
  signal: AbortSignal,
): Promise<void> {
  try {
    const after = (await place.next) ?? (await place.records.position({ signal }));
    for await (const change of place.records.changes({ after, fields: [...fields], signal })) {
      const { kind, _id, record, next } = change;
      const shown = list.rows.find((row) => row._id === _id);
      if (kind === 'refetch' || kind === 'reset') absent.tell([kind]);
      else if (kind === 'delete') {
        absent.forget(_id);
        if (shown) list.remove(new Set([_id]));
      } else if (!shown) absent.note(_id, kind);
      else if (isNewer(record as AnyRecord, shown)) list.put(record as AnyRecord);
      place.next = next;
    }
  } catch {} // forbidden to this caller, or the session has ended, which the next request reports
}

/** Changed records that are not in the list: asks in batches which of them match its query. */
class Absent {
  readonly #records: Records;
  readonly #list: RecordList;
  readonly #query: ListQuery;
  readonly tell: (ids: readonly string[]) => void;
  #noted = new Map<string, 'create' | 'update'>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(records: Records, list: RecordList, query: ListQuery, tell: (ids: readonly string[]) => void) {
    this.#records = records;
    this.#list = list;
    this.#query = query;
    this.tell = tell;
  }

  note(id: string, kind: 'create' | 'update'): void {
    if (this.#noted.get(id) !== 'create' && this.#noted.size < mostCounted) this.#noted.set(id, kind);
    this.#timer ??= setTimeout(() => void this.#report(), gathered);
  }

  forget(id: string): void {
    this.#noted.delete(id);
  }

  async #report(): Promise<void> {
    this.#timer = undefined;
    const shown = new Set(this.#list.rows.map(({ _id }) => _id));
    const noted = [...this.#noted].filter(([id]) => !shown.has(id));
    this.#noted = new Map();
    const { conditions, search } = this.#query;
    // In an unfiltered list, an updated record that is absent is just further down: only created ones are new.
    if (conditions.length === 0 && search === '')
      return this.tell(noted.flatMap(([id, kind]) => (kind === 'create' ? [id] : [])));
    for (let at = 0; at < noted.length; at += 100) {
      const ids = noted.slice(at, at + 100).map(([id]) => id);
      const where = { ...whereOf(conditions), _id: { '=': ids } };
      const asked = { where, ...(search !== '' && { search }), fields: ['_id'], perPage: 100 };
      try {
        this.tell((await this.#records.list(asked)).found.map(({ _id }) => String(_id)));
      } catch {} // only a hint: errors show where the user asks for something
    }
  }
}

/** False for the echo of a change that was saved in this tab, which is in the list already. */
const isNewer = (record: AnyRecord, shown: AnyRecord) => String(record._updatedAt) > String(shown._updatedAt);

/** Browsers allow few connections per server, and a stream takes one, so hidden tabs close theirs. */
function useVisible(): boolean {
  const [visible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const listener = () => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  }, []);
  return visible;
}
