import { Query } from './query.ts';
import { readQueryString } from './query-string.ts';

/** The limit for lists of accounts and management; --page-limit is only for records. */
export const mostPerPage = 1000;

export interface Page {
  readonly page: number;
  readonly perPage: number;
  readonly limit: number;
  readonly offset: number;
}

/** Management lists use the same paging as View All. */
export function readPage(queryString: string): Page {
  return readPageWith(queryString, []);
}

/** The same with further parameters besides `page` and `perPage`; `given` has the raw values. */
export function readPageWith<Name extends string>(
  queryString: string,
  names: readonly Name[],
): Page & { readonly given: Partial<Record<Name, string>> } {
  const query = new Query(readQueryString(queryString));
  const page = query.takeNumber('page', 1, Number.MAX_SAFE_INTEGER);
  const perPage = query.takeNumber('perPage', 25, mostPerPage);
  const given: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = query.take(name);
    if (value !== undefined) given[name] = value;
  }
  query.refuseRest(['page', 'perPage', ...names]);
  query.done();
  const offset = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
  return { page, perPage, limit: perPage, offset, given };
}

/** The list result object, with the same keys as View All's. */
export function pageJson({ page, perPage }: Page, total: number, found: readonly object[]): string {
  return JSON.stringify({ page, perPage, total, totalPages: Math.ceil(total / perPage), found });
}
