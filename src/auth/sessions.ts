import { Failure } from '../failure.ts';
import { formatInstant } from '../model/instant.ts';
import { pageJson, readPage } from '../query/page.ts';
import type { SessionPlace } from '../store/accounts.ts';
import { type AuthAsk, requireUser, withRights } from './ask.ts';

/** GET /v1/:project/_auth/sessions */
export async function listSessions(ask: AuthAsk): Promise<string> {
  const { user, session } = requireUser(ask);
  const page = readPage(ask.query);
  const { total, found } = await ask.project.store.accounts.listSessions(user, ask.now, page);
  return pageJson(
    page,
    total,
    found.map((place) => sessionResult(place, session)),
  );
}

/** DELETE /v1/:project/_auth/sessions/:id */
export async function endSession(ask: AuthAsk): Promise<string> {
  const { user } = requireUser(ask);
  const id = ask.param('id');
  const ended = await withRights(ask).project.store.accounts.endSessionOf(user, id);
  if (!ended) throw new Failure('absent', `There is no session '${id}' of yours`);
  return JSON.stringify({ _id: id });
}

/** DELETE /v1/:project/_auth/sessions */
export async function endOtherSessions(ask: AuthAsk): Promise<string> {
  const { user, session } = requireUser(ask);
  await withRights(ask).project.store.accounts.endOtherSessions(user, session);
  return '{}';
}

function sessionResult({ id, used, address, agent }: SessionPlace, current: string): object {
  const began = beginning(id);
  return {
    _id: id,
    _createdAt: formatInstant(began),
    lastUsedAt: formatInstant(Math.max(used, began)),
    address,
    userAgent: agent,
    current: id === current,
  };
}

/** When a session began: a UUIDv7 starts with the milliseconds since 1970. */
function beginning(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}
