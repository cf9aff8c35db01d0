import type { Role } from './auth-types.ts';
import type { Json } from './types.ts';

/** What management answers and takes about what is in one project, as far as a caller needs to know it. */

/** A field as a definition has it: its type, the constraints of the type, and what every field takes. */
export interface Field {
  readonly type: string;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly index?: boolean;
  readonly default?: Json;
  readonly label?: string;
  readonly description?: string;
  readonly renamedFrom?: string;
  readonly [constraint: string]: Json | undefined;
}

export type Level = 'public' | 'user' | 'workspace';

export interface Method {
  readonly enabled?: boolean;
  readonly access?: Level | 'inherit';
  /** Of `distinct`: the fields that may be asked for. */
  readonly fields?: readonly string[];
}

export interface Definition {
  readonly id: string;
  readonly name?: string;
  readonly fields?: Readonly<Record<string, Field>>;
  readonly indexes?: readonly { readonly fields: readonly string[]; readonly unique?: boolean }[];
  readonly api?: {
    readonly access?: Level;
    readonly methods?: Readonly<Record<string, Method>>;
  };
}

/** What a change of a definition would do. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Something would be lost: it needs `confirm: 'destructive'`. */
  readonly destructive: boolean;
  /** It would be refused: so many records contradict it, these among them. */
  readonly contradiction?: {
    readonly records: number;
    readonly first: readonly { readonly id: string; readonly reason: string }[];
  };
}

export interface Step {
  readonly kind: string;
  readonly field?: string;
  readonly records?: number;
  readonly [detail: string]: Json | undefined;
}

export interface Stats {
  readonly records: number;
  readonly bytes: number;
  readonly indexes: readonly Json[];
}

export interface Account {
  readonly _id: string;
  readonly email: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly verified: boolean;
  readonly profile: Readonly<Record<string, Json>>;
  readonly _createdAt: string;
  readonly _updatedAt: string;
}

export interface NewAccount {
  readonly email: string;
  readonly password: string;
  readonly name?: string;
  readonly profile?: Readonly<Record<string, Json>>;
}

export interface AccountChange {
  readonly name?: string;
  readonly email?: string;
  readonly password?: string;
  readonly disabled?: boolean;
  readonly verified?: boolean;
  readonly profile?: Readonly<Record<string, Json>>;
}

export interface ManagedWorkspace {
  readonly _id: string;
  readonly name: string;
  readonly _createdAt: string;
  readonly _updatedAt: string;
}

export interface ServerKey {
  readonly _id: string;
  readonly name: string;
  readonly access: 'read' | 'write';
  readonly expiresAt: string | null;
  /** To the hour. */
  readonly lastUsedAt: string | null;
  readonly _createdAt: string;
}

export interface NewMember {
  readonly user: string;
  /** Left out: `member`. The first of all becomes the owner. */
  readonly role?: Role;
}

export interface Webhook {
  readonly _id: string;
  readonly name: string;
  readonly url: string;
  /** Empty: all. */
  readonly collections: readonly string[];
  readonly kinds: readonly string[];
  /** null: the whole record. */
  readonly fields: readonly string[] | null;
  readonly paused: boolean;
  /** `manual`, `gone` (the receiver answered 410), `failing` (for a day), `restored` (with its project). */
  readonly pausedBecause: string | null;
  /** Tries in a row that failed, and since when. */
  readonly failures: number;
  readonly failingSince: string | null;
  readonly _createdAt: string;
  readonly _updatedAt: string;
  /** Once, in the answer that makes or rotates it. */
  readonly secret?: string;
}

/** Without `collections` it is told of all, without `kinds` of every kind; `fields` goes with one collection. */
export type NewWebhook = Pick<Webhook, 'name' | 'url'> &
  Partial<Pick<Webhook, 'collections' | 'kinds' | 'fields'>>;

/** What came of a test. */
export interface WebhookTest {
  readonly delivered: boolean;
  /** The status of the answer; null where there was none, and `reason` says why. */
  readonly code: number | null;
  readonly reason: string | null;
  readonly ms: number;
}

export interface Delivery {
  readonly position: string;
  readonly kind: string;
  readonly collection: string;
  /** Of the record. */
  readonly _id: string | null;
  /** Tries so far. */
  readonly attempt: number;
  readonly status: 'delivered' | 'waiting' | 'failed';
  /** The status of the last answer; null where there was none, and `reason` says why. */
  readonly code: number | null;
  readonly reason: string | null;
  readonly ms: number | null;
  readonly at: string;
  readonly nextAt: string | null;
}

/** Who would ask: nobody, a user (in a workspace), a server key. */
export type ExplainedCaller =
  | 'nobody'
  | { readonly user: string; readonly workspace?: string }
  | { readonly key: string };

export interface Explanation {
  readonly allowed: boolean;
  readonly status: number;
  readonly reasons: readonly string[];
}
