import { useEffect, useRef, useState } from 'preact/hooks';
import type { Records } from '../../api.ts';
import type { AnyRecord } from '../../model/fields.ts';
import { type ListQuery, whereOf } from '../../model/list-query.ts';
import type { RecordList } from './record-list.ts';

/** Milliseconds that the first rows have for themselves. */
const headStart = 500;
/** Milliseconds for which what is not in the list is gathered: what was made here is in it by then. */
const gathered = 700;
/** Beyond so many nobody wants to know how many. */
const mostCounted = 500;

/** Where the changes of a collection were followed to: whatever is read later has what came before. */
interface Place {
  readonly records: Records;
  /** Asked for until it is known. */
  next: string | Promise<string | undefined>;
}

/**
 * What others write meanwhile: a row that is shown becomes what it is now, one that is deleted goes. What is not in the list is
 * only counted, as rows that come by themselves would move those that somebody looks at. Gives how many those are. What
 * happened while nobody saw the tab comes when it is seen again.
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
  // At once: what is written between the first rows and the stream must not be missed.
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

/** For as long as the tab is seen, and the server lets this caller: without it there is a list as ever. */
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
  } catch {} // closed to this caller, or the end of the sign-in, which the next request tells
}

/** Records that changed and are not in the list: whether it would have them is asked of many at once. */
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
    // A list of everything has had those that are only changed all along, further down.
    if (conditions.length === 0 && search === '')
      return this.tell(noted.flatMap(([id, kind]) => (kind === 'create' ? [id] : [])));
    for (let at = 0; at < noted.length; at += 100) {
      const ids = noted.slice(at, at + 100).map(([id]) => id);
      const where = { ...whereOf(conditions), _id: { '=': ids } };
      const asked = { where, ...(search !== '' && { search }), fields: ['_id'], perPage: 100 };
      try {
        this.tell((await this.#records.list(asked)).found.map(({ _id }) => String(_id)));
      } catch {} // what is wrong is shown where it is asked for
    }
  }
}

/** What was saved here is in the list already. */
const isNewer = (record: AnyRecord, shown: AnyRecord) => String(record._updatedAt) > String(shown._updatedAt);

/** A browser has few connections to one server, and a stream takes one: tabs that nobody sees leave theirs to others. */
function useVisible(): boolean {
  const [visible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const listener = () => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  }, []);
  return visible;
}
