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

/** The cache of the server's answers. It does not retry: the client library does so where that makes sense. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 15_000, networkMode: 'always' } },
});

export interface QueryOptions<T> {
  readonly key: QueryKey;
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly enabled?: boolean;
  /** Show the data of the previous key until the data of this one arrives. */
  readonly keepLast?: boolean;
  /** Milliseconds for which an answer counts as fresh. */
  readonly fresh?: number;
  /** The order of keys matters, as it does for fields: an answer that differs only in it is a new one. */
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

/** Keeps the identity of objects that did not change, as TanStack does by default, unless their keys have another order now. */
function inOrder(before: unknown, now: unknown): unknown {
  const shared = replaceEqualDeep(before, now);
  return JSON.stringify(shared) === JSON.stringify(now) ? shared : now;
}

/** Fetches into the cache before a component that needs it is rendered. */
export function askAhead<T>({ key, load }: QueryOptions<T>): void {
  void queries.prefetchQuery({ queryKey: key, queryFn: ({ signal }) => load(signal) });
}

/** Marks everything under this key prefix as stale; what is on the screen is fetched again. */
export function refresh(...key: QueryKey): Promise<void> {
  return queries.invalidateQueries({ queryKey: key });
}
