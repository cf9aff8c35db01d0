import { endOfToken } from '../access/token.ts';
import { follow } from '../changes/following.ts';
import { Failure } from '../failure.ts';
import { authenticate, readToken } from './authenticate.ts';
import { changesPage } from './changes-page.ts';
import { eventStream } from './event-stream.ts';
import { readFollower, ticketPrefix } from './follower.ts';
import { refuseQuery } from './refuse-query.ts';
import { openSuccess, unstored } from './respond.ts';
import type { Incoming, Route } from './route.ts';
import type { Services } from './services.ts';
import { turnTaker } from './turn-taker.ts';

/** The change feed, as pages or as a stream, and tickets for clients that can't send a header. */
export function changeRoutes(services: Services): Route[] {
  return [
    {
      path: '/v1/:project/_changes',
      cors: true,
      verbs: { GET: (incoming) => changes(services, incoming) },
    },
    {
      path: '/v1/:project/:collection/_changes',
      cors: true,
      verbs: { GET: (incoming) => changes(services, incoming, incoming.param('collection')) },
    },
    {
      path: '/v1/:project/_auth/ticket',
      cors: true,
      verbs: { POST: (incoming) => ticket(services, incoming) },
    },
  ];
}

async function changes(services: Services, incoming: Incoming, collection?: string): Promise<Response> {
  const { request } = incoming;
  const follower = await services.catalog.use(incoming.param('project'), (project) =>
    readFollower(services, incoming, project, collection),
  );
  const streams = request.headers.get('accept')?.includes('text/event-stream') ?? false;
  // Other requests read the log before the response, which shows whether everything that was checked above still holds.
  if (streams || follower.after === 'now')
    await services.catalog.use(follower.project.id, (project) => follow(project, follower.wanted), 'fresh');
  if (!streams && follower.wait === 0) return changesPage(services, follower, request.signal);
  const release = await services.turns.streams.take(turnTaker(services, incoming, follower.wanted.caller));
  if (streams) return eventStream(services, follower, request.signal, release);
  return changesPage(services, follower, request.signal).finally(release);
}

function ticket(services: Services, incoming: Incoming): Promise<Response> {
  return services.catalog.use(incoming.param('project'), async (project) => {
    const { headers } = incoming.request;
    const caller = await authenticate(services, headers, project);
    const token = readToken(headers);
    refuseQuery(incoming.query);
    if (token === undefined)
      throw new Failure(
        'unauthenticated',
        'Sign in first, then send the header Authorization: Bearer <accessToken>',
      );
    if (caller.kind !== 'user')
      throw new Failure('forbidden', 'A ticket is for the token of a user: others send theirs in a header');
    const result = {
      ticket: project.cipher.close(`${ticketPrefix}${token}`),
      expiresIn: Math.max(0, Math.floor((endOfToken(token) - services.now()) / 1000)),
    };
    return openSuccess({ status: 200, result: JSON.stringify(result), headers: unstored });
  });
}
