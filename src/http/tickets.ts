import { digest, randomSecret } from '../access/secret.ts';
import type { Services } from './services.ts';

/**
 * A download is a navigation of the browser, which sends no Authorization header: its address holds a ticket
 * instead, made by POST /v1/_admin/ticket for this very path and query.
 */
const parameter = /[?&]ticket=(vd_[\w-]{43})(?=&|$)/;

/** The request as if it had brought the administrator's token, where its ticket is good; as it is otherwise. */
export async function redeemTicket(services: Services, request: Request, ticket: string): Promise<Request> {
  const { catalog, now, passes } = services;
  const url = request.url.replace(parameter, (found) => (found.startsWith('?') ? '?' : ''));
  const bare = url.replace(/\?&/, '?').replace(/\?$/, '');
  const path = bare.slice(bare.indexOf('/', 8));
  const good = await catalog.administrators.spendTicket(digest(ticket), path, now());
  const token = randomSecret();
  if (good) passes.add(token);
  const headers = new Headers(request.headers);
  // A bad ticket is refused as a bad token is.
  headers.set('authorization', `Bearer ${good ? token : ticket}`);
  return new Request(bare, { headers, signal: request.signal });
}

export function ticketOf({ method, url }: Request): string | undefined {
  return method === 'GET' ? parameter.exec(url)?.[1] : undefined;
}
