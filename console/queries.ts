import {
  keepPreviousData,
  QueryClient,
  type QueryKey,
  QueryObserver,
  type QueryObserverOptions,
  type QueryObserverResult,
  replaceEqualDeep,
} from '@tanstack/query-core';
import { useEffect, useState } from 'preact/hooks';

/** Answers of the server, by what was asked. The client tries again by itself where that makes sense. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 15_000, networkMode: 'always' } },
});

export interface QueryOptions<T> {
  readonly key: QueryKey;
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly enabled?: boolean;
  /** Show what was there for the last key until this one's answer comes. */
  readonly keepLast?: boolean;
  /** Milliseconds for which an answer is good. */
  readonly fresh?: number;
  /** The order of keys counts, as that of fields does: an answer in another one is another answer. */
  readonly ordered?: boolean;
}

export function useQuery<T>({
  key,
  load,
  enabled = true,
  keepLast = false,
  fresh,
  ordered = false,
}: QueryOptions<T>): QueryObserverResult<T, Error> {
  const options = queries.defaultQueryOptions<T, Error, T, T, QueryKey>({
    queryKey: key,
    queryFn: ({ signal }: { signal: AbortSignal }) => load(signal),
    enabled,
    ...(fresh !== undefined && { staleTime: fresh }),
    ...(ordered && { structuralSharing: inOrder }),
    ...(keepLast && { placeholderData: keepPreviousData }),
  } as QueryObserverOptions<T, Error, T, T, QueryKey>);
  const [observer] = useState(() => new QueryObserver<T, Error, T, T, QueryKey>(queries, options));
  const [, render] = useState<unknown>();
  useEffect(() => observer.subscribe(render), [observer]);
  useEffect(() => observer.setOptions(options));
  return observer.getOptimisticResult(options);
}

/** What is as it was stays the same object, as long as that has its keys in the same order. */
function inOrder(before: unknown, now: unknown): unknown {
  const shared = replaceEqualDeep(before, now);
  return JSON.stringify(shared) === JSON.stringify(now) ? shared : now;
}

/** Asks before anything is drawn that shows it. */
export function askAhead<T>({ key, load }: QueryOptions<T>): void {
  void queries.prefetchQuery({ queryKey: key, queryFn: ({ signal }) => load(signal) });
}

/** Whatever begins with this key is asked anew where it is shown. */
export function refresh(...key: QueryKey): Promise<void> {
  return queries.invalidateQueries({ queryKey: key });
}
