import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../access/caller.ts';
import { type Audit, isRefusal } from '../audit/audit.ts';
import type { Awaitable } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import { addressOf } from './client-address.ts';
import type { Incoming } from './route.ts';
import type { Services } from './services.ts';

/** Runs a write of records. If an administrator acts for a user, it is audited: an entry before, its outcome after. */
export function auditedWrite<T>(
  services: Services,
  incoming: Incoming,
  caller: Caller,
  run: () => Awaitable<T>,
): Awaitable<T> {
  const actor = caller.kind === 'user' ? caller.act : undefined;
  return actor === undefined ? run() : audited(services, incoming, { actor, run });
}

/** Entries that were begun: a write that is handled again, as the schema changed under it, still gets only one. */
const begun = new WeakMap<Request, Finish>();
type Finish = Awaited<ReturnType<Audit['begin']>>;

async function audited<T>(
  services: Services,
  incoming: Incoming,
  { actor, run }: { readonly actor: string; run(): Awaitable<T> },
): Promise<T> {
  const { request, param } = incoming;
  const finish =
    begun.get(request) ??
    (await services.audit.begin({
      ...{ actor, action: `impersonated.${request.method}`, project: param('project') },
      target: [param('collection'), param('id')].filter((part) => part !== '').join('/') || null,
      ...{ address: addressOf(services, incoming), requestId: uuidv7() },
    }));
  begun.set(request, finish);
  try {
    const done = await run();
    await finish({ outcome: 'done' });
    return done;
  } catch (error) {
    if (isRefusal(error)) await finish({ outcome: 'refused' });
    throw error;
  }
}

/** An administrator who acts for a user may view the account, but not change it. */
export function refuseImpersonated(caller: Caller, { method }: Pick<Request, 'method'>): void {
  if (caller.kind !== 'user' || caller.act === undefined || method === 'GET') return;
  throw new Failure(
    'forbidden',
    "Whoever acts for a user can't change the account, its sign-ins, workspaces or members",
  );
}

export const isWrite = (method: string) => method === 'create' || method === 'update' || method === 'delete';
