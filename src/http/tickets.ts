import { digest, randomSecret } from '../access/secret.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Services } from './services.ts';

/**
 * A download is a navigation of the browser, which sends no Authorization header: its URL has a ticket instead, made by
 * POST /v1/_admin/ticket for exactly this path and query.
 */
const parameter = /[?&]ticket=(vd_[\w-]{43})(?=&|$)/;

/** Handles a request with a valid ticket as if it had the administrator's token. */
export async function withTicket(
  services: Services,
  request: Request,
  ticket: string,
  answer: (request: Request) => Awaitable<Response>,
): Promise<Response> {
  const { catalog, now, passes } = services;
  const url = request.url.replace(parameter, (found) => (found.startsWith('?') ? '?' : ''));
  const bare = url.replace(/\?&/, '?').replace(/\?$/, '');
  const path = bare.slice(bare.indexOf('/', 8));
  const actor = await catalog.administrators.spendTicket(digest(ticket), path, now());
  const token = randomSecret();
  if (actor !== undefined) passes.set(token, actor);
  const headers = new Headers(request.headers);
  // An invalid ticket is refused like an invalid token.
  headers.set('authorization', `Bearer ${actor === undefined ? ticket : token}`);
  try {
    return await answer(new Request(bare, { headers, signal: request.signal }));
  } finally {
    passes.delete(token);
  }
}

export function ticketOf({ method, url }: Request): string | undefined {
  return method === 'GET' ? parameter.exec(url)?.[1] : undefined;
}
