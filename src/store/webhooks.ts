import type { Authority } from '../access/authority.ts';
import type { Page, Paged } from './paged.ts';

/** A project's webhooks: their settings, how far each has got in the change log, and its deliveries. */

/** The kinds of changes that a webhook may ask for; `refetch` goes to all. */
export const webhookKinds = ['create', 'update', 'delete'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

/**
 * manual: somebody paused it. gone: the receiver answered 410. failing: for a day. restored: it came with a restored or copied
 * project.
 */
export type PauseReason = 'manual' | 'gone' | 'failing' | 'restored';

export interface WebhookSettings {
  readonly name: string;
  readonly url: string;
  /** Empty: all collections. */
  readonly collections: readonly string[];
  readonly kinds: readonly WebhookKind[];
  /** Fields of the record; null: all. */
  readonly fields: readonly string[] | null;
}

export interface Webhook extends WebhookSettings {
  readonly id: string;
  readonly secret: string;
  /** The previous secret, which also signs until then. */
  readonly former: { readonly secret: string; readonly until: number } | null;
  readonly paused: PauseReason | null;
  /** A position in the log of changes: what comes after it was not taken yet. */
  readonly position: string;
  /** How many tries in a row have failed, and since when. */
  readonly failures: number;
  readonly failingSince: number | null;
  readonly created: number;
  readonly updated: number;
}

export type NewWebhook = WebhookSettings & Pick<Webhook, 'id' | 'secret' | 'position' | 'created'>;

export interface WebhookChange extends Partial<WebhookSettings> {
  /** The current secret goes on signing until then. */
  readonly secret?: { readonly next: string; readonly until: number };
  /** false: it goes on where it was, and what waits is tried at once. */
  readonly paused?: boolean;
}

/** A change to be sent. `n` numbers those of a webhook. */
export interface Waiting {
  readonly n: number;
  readonly position: string;
  readonly kind: WebhookKind | 'refetch';
  readonly collection: string;
  /** The id of the record. */
  readonly id: string | null;
  readonly changed: number;
  /** Attempts so far. */
  readonly attempt: number;
}

export interface Delivery extends Waiting {
  readonly state: 'delivered' | 'waiting' | 'failed';
  /** HTTP status of the last response. */
  readonly code: number | null;
  /** Why there was no answer. */
  readonly reason: string | null;
  readonly ms: number | null;
  /** Time of the last attempt. */
  readonly at: number | null;
  readonly nextAt: number | null;
}

/** Changes that a webhook takes from the log. */
export interface Intake {
  readonly webhook: string;
  /** Nothing is taken where the webhook has another position by now. */
  readonly from: string;
  readonly to: string;
  /** Nothing is taken where the version of the schema is another by now: a collection may have been renamed. */
  readonly schema: number;
  readonly changes: readonly Omit<Waiting, 'n' | 'attempt'>[];
  /** Discards the changes that wait: a `refetch` takes their place. */
  readonly anew: boolean;
  readonly now: number;
}

/** The outcome of a try. */
export interface Settlement {
  readonly webhook: string;
  readonly n: number;
  /** How many tries there were before it, as another process may have tried it meanwhile. */
  readonly attempt: number;
  readonly outcome:
    | { readonly kind: 'delivered' }
    /** Time of the next attempt; null: given up. */
    | { readonly kind: 'failed'; readonly nextAt: number | null; readonly pause: PauseReason | null }
    /** There is nothing left to send. */
    | { readonly kind: 'void' };
  readonly code: number | null;
  readonly reason: string | null;
  readonly ms: number;
  readonly now: number;
}

export interface Backlog {
  /** Those that were never tried and do not wait behind one that failed. */
  readonly fresh: number;
  /** All that wait. */
  readonly waiting: number;
  /** When the next one is due. */
  readonly nextAt: number | null;
}

/** Maximum number of webhooks per project. */
export const mostWebhooks = 50;

export interface Webhooks {
  /** The same for a caller whose rights every write checks again. */
  as(authority: Authority): Webhooks;

  list(page: Page): Promise<Paged<Webhook>>;
  find(id: string): Promise<Webhook | undefined>;
  /** Webhooks that are not paused. */
  active(): Promise<readonly Webhook[]>;
  /** false: the limit is reached. */
  create(webhook: NewWebhook): Promise<boolean>;
  update(id: string, change: WebhookChange, now: number): Promise<Webhook | undefined>;
  /** Sends everything after the position again. */
  rewind(id: string, position: string, now: number): Promise<boolean>;
  delete(id: string): Promise<boolean>;

  deliveries(id: string, page: Page): Promise<Paged<Delivery>>;
  /** false: the webhook has another position, is paused or gone, or the schema is another. */
  take(intake: Intake): Promise<boolean>;
  /** Those whose time has come; of each record no more than one. */
  due(
    id: string,
    now: number,
    limit: number,
    first: 'oldest' | 'fewest attempts',
  ): Promise<readonly Waiting[]>;
  /**
   * Those that wait only because the clock of the process that wrote them was ahead of this one: they were never tried, or were
   * tried in the future. Goes through all that is put off, so it is to be asked rarely.
   */
  misdated(id: string, now: number, limit: number): Promise<readonly Waiting[]>;
  settle(settlement: Settlement): Promise<void>;
  backlog(id: string): Promise<Backlog>;
}
