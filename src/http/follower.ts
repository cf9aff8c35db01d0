import { type ProjectAuthority, projectAuthorityOf } from '../access/authority.ts';
import type { Caller } from '../access/caller.ts';
import { digest, hasDigest } from '../access/secret.ts';
import { endOfToken } from '../access/token.ts';
import type { Project } from '../catalog/project.ts';
import { requireCollection } from '../catalog/require-collection.ts';
import { follow, type Wanted } from '../changes/following.ts';
import type { IsGood } from '../changes/subscriber.ts';
import { findActBy } from './act-by.ts';
import { admit } from './admit.ts';
import { authenticate, readToken } from './authenticate.ts';
import { type ChangesQuery, readChangesQuery } from './changes-query.ts';
import { requireOpenCaller } from './record-routes.ts';
import type { Incoming } from './route.ts';
import type { Services } from './services.ts';

/** Somebody who follows changes, after all checks have passed. */
export interface Follower extends ChangesQuery {
  readonly project: Pick<Project, 'id' | 'cipher'>;
  readonly wanted: Wanted;
  readonly authority: ProjectAuthority | undefined;
  readonly expires: number;
  readonly isGood: IsGood | undefined;
}

/** The order of the checks: project, collection, method switched on, token, level, parameters. */
export async function readFollower(
  services: Services,
  incoming: Incoming,
  project: Project,
  name: string | undefined,
): Promise<Follower> {
  const headers = withTicket(project, incoming);
  const collection = name === undefined ? undefined : requireCollection(project, name);
  const caller = await admit(services, incoming, () =>
    collection
      ? requireOpenCaller(services, headers, project, collection, 'changes')
      : authenticate(services, headers, project),
  );
  if (collection) follow(project, { caller, names: [collection.definition.id] });
  const asked = readChangesQuery(services, incoming, project, caller, collection);
  const names = collection ? [collection.definition.id] : asked.collections;
  const wanted = { caller, names, fields: asked.fields };
  follow(project, wanted);
  const token = readToken(headers);
  return {
    ...asked,
    project: { id: project.id, cipher: project.cipher },
    wanted,
    authority: projectAuthorityOf(caller),
    expires: caller.kind === 'user' && token !== undefined ? endOfToken(token) : Number.POSITIVE_INFINITY,
    isGood: goodness(services, caller, token),
  };
}

/**
 * What only the instance knows and the project does not: an administrator's session, and the password of somebody who acts for
 * a user.
 */
function goodness(services: Services, caller: Caller, token: string | undefined): IsGood | undefined {
  const { adminKeyDigest, catalog, now } = services;
  if (caller.kind === 'user' && caller.act !== undefined) {
    const { act, actBy } = caller;
    return async () => (await findActBy(services, act)) === actBy;
  }
  const isKey = token !== undefined && adminKeyDigest !== undefined && hasDigest(token, adminKeyDigest);
  if (caller.kind !== 'administrator' || token === undefined || isKey) return undefined;
  return () => catalog.administrators.hasSession(digest(token), now());
}

const parameter = /(?:^|&)ticket(?:=([^&]*))?(?=&|$)/;
export const ticketPrefix = 'ticket ';
/** An invalid ticket is refused like an invalid token, and never counts as none. */
const refused = 'ticket-that-is-not-valid';

/** A ticket is the encrypted access token that it was made with, so it expires and is revoked with that token. */
function withTicket({ cipher }: Project, { request, query }: Incoming): Headers {
  const sent = parameter.exec(query);
  if (!sent || request.headers.has('authorization')) return request.headers;
  const opened = cipher.open(sent[1] ?? '');
  const token = opened?.startsWith(ticketPrefix) ? opened.slice(ticketPrefix.length) : refused;
  const headers = new Headers(request.headers);
  headers.set('authorization', `Bearer ${token}`);
  return headers;
}
