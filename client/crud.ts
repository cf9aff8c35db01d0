import type { List, PageOptions } from './auth-types.ts';
import { encode, queryString } from './query.ts';
import type { CallOptions, Send } from './transport.ts';

/** The five calls that a list of management has; each takes what its type says. */
interface Crud {
  list<T>(options?: PageOptions): Promise<List<T>>;
  view<T>(id: string, options?: CallOptions): Promise<T>;
  create<T>(body: object, options?: CallOptions): Promise<T>;
  update<T>(id: string, body: object, options?: CallOptions): Promise<T>;
  delete<T>(id: string, options?: CallOptions): Promise<T>;
}

export function crud(send: Send, path: string): Crud {
  const one = (id: string) => `${path}/${encode(id)}`;
  return {
    list: ({ signal, ...query } = {}) => send('GET', path + queryString(query), { signal }),
    view: (id, { signal } = {}) => send('GET', one(id), { signal }),
    create: (body, { signal } = {}) => send('POST', path, { body, signal }),
    update: (id, body, { signal, ...query } = {}) =>
      send('PATCH', one(id) + queryString(query), { body, signal }),
    delete: (id, { signal, ...query } = {}) => send('DELETE', one(id) + queryString(query), { signal }),
  };
}
