import { digest } from '../access/secret.ts';
import { isKnown } from '../records/conditional.ts';
import { pageHeaders } from './console-routes.ts';
import type { Handler, Incoming, Route } from './route.ts';

/** A static file that pages of this server use. */
export function asset(path: string, type: string, text: string): Route {
  const etag = `"${digest(text).slice(0, 22)}"`;
  const headers = { ...pageHeaders, 'cache-control': 'no-cache', etag };
  const GET: Handler = (incoming) => {
    if (isCurrent(incoming, etag)) return new Response(null, { status: 304, headers });
    return new Response(text, { headers: { ...headers, 'content-type': `${type}; charset=utf-8` } });
  };
  return { path, cors: false, verbs: { GET } };
}

export function isCurrent({ request }: Incoming, etag: string): boolean {
  return isKnown({ header: (name) => request.headers.get(name) }, etag);
}
