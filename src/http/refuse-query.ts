import { readQueryString } from '../query/query-string.ts';
import { refuseParameters } from '../records/view.ts';

/** For calls that take no parameters: one that is sent is a mistake, and is said to be. */
export function refuseQuery(query: string): void {
  if (query !== '') refuseParameters({ query, parameters: readQueryString(query) });
}
