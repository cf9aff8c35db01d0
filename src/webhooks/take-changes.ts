import type { Project } from '../catalog/project.ts';
import type { Intake, Webhook } from '../store/webhooks.ts';
import type { ChangeLog, TakenChange } from './change-log.ts';

/** Most changes taken from the log at once. */
const mostTaken = 200;
/** Changes waiting for their first try, from which on no more are taken: they can wait in the log. */
const mostFresh = 200;
/** Changes waiting in total, from which on no more are taken: as many records can fail without blocking others. */
const mostWaiting = 10_000;

/**
 * Takes changes after the webhook's position from the log. Returns whether there may be more. The webhook must have been read
 * under the project's schema, as it names collections of that.
 */
export async function takeChanges(
  { store: { webhooks }, schema }: Project,
  log: ChangeLog,
  webhook: Webhook,
  now: number,
): Promise<boolean> {
  const { fresh, waiting } = await webhooks.backlog(webhook.id);
  if (fresh >= mostFresh || waiting >= mostWaiting) return false;
  const found = await log.after(webhook.position, mostTaken);
  const from = { webhook: webhook.id, from: webhook.position, schema: schema.version, now };
  if (found === 'lost') {
    const to = await log.now();
    const named = webhook.collections.length > 0 ? webhook.collections : [...schema.collections.keys()];
    return webhooks.take({ ...from, to, changes: refetches(named, to, now), anew: true });
  }
  const { changes, next } = found;
  if (next === webhook.position) return false;
  const wanted = changes.filter((change) => isWanted(webhook, change));
  return webhooks.take({ ...from, to: next, changes: wanted, anew: false });
}

export function isWanted(
  { collections, kinds }: Pick<Webhook, 'collections' | 'kinds'>,
  { collection, kind }: Pick<TakenChange, 'collection' | 'kind'>,
): boolean {
  if (collections.length > 0 && !collections.includes(collection)) return false;
  return kind === 'refetch' || kinds.includes(kind);
}

/** Replaces changes that are no longer in the log. */
function refetches(collections: readonly string[], position: string, now: number): Intake['changes'] {
  return collections.map((collection) => {
    return { position, kind: 'refetch', collection, id: null, changed: now };
  });
}
