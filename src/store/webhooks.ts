import type { Authority } from '../access/authority.ts';
import type { Page, Paged } from './paged.ts';

/** The webhooks of a project: what they are, how far each is, and what became of the changes they were to send. */

/** What a webhook may be asked for; `refetch` comes to all. */
export const webhookKinds = ['create', 'update', 'delete'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

/** manual: somebody did it. gone: the receiver answered 410. failing: for a day. restored: with its project, or copied. */
export type PauseReason = 'manual' | 'gone' | 'failing' | 'restored';

export interface WebhookSettings {
  readonly name: string;
  readonly url: string;
  /** Empty: all there are. */
  readonly collections: readonly string[];
  readonly kinds: readonly WebhookKind[];
  /** Of the record; null: all. */
  readonly fields: readonly string[] | null;
}

export interface Webhook extends WebhookSettings {
  readonly id: string;
  readonly secret: string;
  /** The secret before, which signs too until then. */
  readonly former: { readonly secret: string; readonly until: number } | null;
  readonly paused: PauseReason | null;
  /** In the log of changes: what comes after it was not taken yet. */
  readonly position: string;
  /** Tries in a row that failed, and since when. */
  readonly failures: number;
  readonly failingSince: number | null;
  readonly created: number;
  readonly updated: number;
}

export type NewWebhook = WebhookSettings & Pick<Webhook, 'id' | 'secret' | 'position' | 'created'>;

export interface WebhookChange extends Partial<WebhookSettings> {
  /** The secret so far signs too until then. */
  readonly secret?: { readonly next: string; readonly until: number };
  /** false: goes on where it was, and what waits is tried at once. */
  readonly paused?: boolean;
}

/** A change to be sent. `n` counts those of a webhook. */
export interface Waiting {
  readonly n: number;
  readonly position: string;
  readonly kind: WebhookKind | 'refetch';
  readonly collection: string;
  /** Of the record. */
  readonly id: string | null;
  /** When the record was changed. */
  readonly changed: number;
  /** Tries so far. */
  readonly attempt: number;
}

export interface Delivery extends Waiting {
  readonly state: 'delivered' | 'waiting' | 'failed';
  /** The status of the last answer. */
  readonly code: number | null;
  /** Why there was none. */
  readonly reason: string | null;
  readonly ms: number | null;
  /** When it was tried last. */
  readonly at: number | null;
  readonly nextAt: number | null;
}

/** Changes that a webhook takes from the log. */
export interface Intake {
  readonly webhook: string;
  /** Nothing is taken where the webhook is elsewhere by now. */
  readonly from: string;
  readonly to: string;
  readonly changes: readonly Omit<Waiting, 'n' | 'attempt'>[];
  /** What waited before does so no more: `refetch` takes its place. */
  readonly anew: boolean;
  readonly now: number;
}

/** What a try came to. */
export interface Settlement {
  readonly webhook: string;
  readonly n: number;
  /** Tries before it: another process may have tried it meanwhile. */
  readonly attempt: number;
  readonly outcome:
    | { readonly kind: 'delivered' }
    /** The next try; null: given up. */
    | { readonly kind: 'failed'; readonly nextAt: number | null; readonly pause: PauseReason | null }
    /** There is nothing to send any more. */
    | { readonly kind: 'void' };
  readonly code: number | null;
  readonly reason: string | null;
  readonly ms: number;
  readonly now: number;
}

export interface Backlog {
  /** Never tried, and behind none that failed. */
  readonly fresh: number;
  /** All. */
  readonly waiting: number;
  /** When the next of them is due. */
  readonly nextAt: number | null;
}

/** How many webhooks a project may have. */
export const mostWebhooks = 50;

export interface Webhooks {
  /** The same, for a caller whose rights are looked at again by whatever writes. */
  as(authority: Authority): Webhooks;

  list(page: Page): Promise<Paged<Webhook>>;
  find(id: string): Promise<Webhook | undefined>;
  /** Those that are not paused. */
  active(): Promise<readonly Webhook[]>;
  /** false: there are too many. */
  create(webhook: NewWebhook): Promise<boolean>;
  update(id: string, change: WebhookChange, now: number): Promise<Webhook | undefined>;
  /** Everything after the position is sent again. */
  rewind(id: string, position: string, now: number): Promise<boolean>;
  delete(id: string): Promise<boolean>;

  deliveries(id: string, page: Page): Promise<Paged<Delivery>>;
  /** false: the webhook is elsewhere, paused or gone. */
  take(intake: Intake): Promise<boolean>;
  /** Those whose time has come; of each record no more than one. */
  due(
    id: string,
    now: number,
    limit: number,
    first: 'oldest' | 'fewest attempts',
  ): Promise<readonly Waiting[]>;
  settle(settlement: Settlement): Promise<void>;
  backlog(id: string): Promise<Backlog>;
}
