import { useEffect, useState } from 'preact/hooks';
import type { Records } from '../../api.ts';
import type { AnyRecord } from '../../model/fields.ts';
import type { RecordList } from './record-list.ts';

/** Milliseconds that the first rows have for themselves. */
const headStart = 500;

/**
 * What others write meanwhile: a row that is shown becomes what it is now, one that is deleted goes. What is not in the list is
 * only counted, as rows that come by themselves would move those that somebody looks at. Gives how many those are.
 */
export function useLive(records: Records, list: RecordList, fields: readonly string[]): number {
  const [others, setOthers] = useState<ReadonlySet<string>>(new Set());
  const isVisible = useVisible();
  const isThere = list.state === 'more' || list.state === 'end';
  useEffect(() => setOthers(new Set()), [list]);
  useEffect(() => {
    if (!isThere || !isVisible) return;
    const stop = new AbortController();
    const note = (id: string) => setOthers((known) => new Set(known).add(id));
    const timer = setTimeout(() => void follow(records, list, fields, note, stop.signal), headStart);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [list, isThere, isVisible]);
  return others.size;
}

/** For as long as the tab is seen, and the server lets this caller: without it there is a list as ever. */
async function follow(
  records: Records,
  list: RecordList,
  fields: readonly string[],
  note: (id: string) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { kind, _id, record } of records.changes({ fields: [...fields], signal })) {
      const shown = list.rows.find((row) => row._id === _id);
      if (kind === 'delete') {
        if (shown) list.remove(new Set([_id]));
      } else if (kind === 'refetch' || kind === 'reset') note(kind);
      else if (!shown) note(_id);
      else if (isNewer(record as AnyRecord, shown)) list.put(record as AnyRecord);
    }
  } catch {} // closed to this caller, or the end of the sign-in, which the next request tells
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
