import type { Catalog } from '../catalog/catalog.ts';
import type { Project } from '../catalog/project.ts';
import { StaleSchema } from '../store/schema.ts';
import type { Settlement, Waiting, Webhook } from '../store/webhooks.ts';
import type { ChangeLog } from './change-log.ts';
import { changeMessage } from './message.ts';
import { readChanged } from './read-changed.ts';
import { nextTry, pauseAfter, succeeded } from './schedule.ts';
import { type Outcome, type SendOptions, send } from './send.ts';
import { isWanted } from './take-changes.ts';

export interface SenderServices {
  readonly catalog: Catalog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sending: SendOptions;
  readonly changes: (project: Project) => ChangeLog;
}

/** A webhook, and the version of the schema under which it was read. */
export interface KnownWebhook {
  readonly webhook: Webhook;
  readonly schema: number;
}

/** Tries to deliver one change. undefined: it was aborted or has to be begun anew, and does not count as a try. */
export async function deliver(
  { catalog, now, sending, changes }: SenderServices,
  project: string,
  { webhook, schema }: KnownWebhook,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<Settlement | undefined> {
  const settled = { webhook: webhook.id, n: waiting.n, attempt: waiting.attempt };
  const read = await catalog.use(project, async (open) => {
    // The webhook's settings may have changed since the change was taken.
    const record = isWanted(webhook, waiting) ? await readChanged(open, webhook, waiting) : undefined;
    if (record !== undefined) return { record, position: changes(open).publicPosition(waiting.position) };
    if ((await open.store.schemaVersion()) !== open.schema.version) throw new StaleSchema();
    // The collection may have been renamed meanwhile, in the webhook and in what waits too.
    return open.schema.version === schema ? 'nothing' : 'anew';
  });
  if (read === 'anew') return undefined;
  if (read === 'nothing')
    return { ...settled, outcome: { kind: 'void' }, code: null, reason: null, ms: 0, now: now() };
  const outcome = await send(changeMessage(webhook, waiting, read, now()), sending, signal);
  if (signal.aborted && outcome.kind === 'unanswered') return undefined;
  return { ...settled, ...settlementOf(webhook, waiting, outcome, now()) };
}

function settlementOf(
  webhook: Webhook,
  { attempt }: Waiting,
  outcome: Outcome,
  now: number,
): Omit<Settlement, 'webhook' | 'n' | 'attempt'> {
  const code = outcome.kind === 'answered' ? outcome.status : null;
  const reason = outcome.kind === 'answered' ? null : outcome.reason;
  const report = { code, reason, ms: outcome.ms, now };
  if (succeeded(outcome)) return { ...report, outcome: { kind: 'delivered' } };
  const nextAt = nextTry(attempt + 1, outcome, now);
  return { ...report, outcome: { kind: 'failed', nextAt, pause: pauseAfter(webhook, outcome, now) } };
}
