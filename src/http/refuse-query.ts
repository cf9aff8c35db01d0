import { readQueryString } from '../query/query-string.ts';
import { refuseParameters } from '../records/view.ts';

/** For calls without parameters: one that is sent is an error. */
export function refuseQuery(query: string): void {
  if (query !== '') refuseParameters({ query, parameters: readQueryString(query) });
}
