import type { ColumnValue } from '../model/field.ts';
import type { JsonObject } from '../model/json.ts';

/**
 * All there is of a project, in an order in which it can be written down and made again: its accounts and the large
 * deletion that is under way, which whoever opens the new one goes on with; then the definitions of all collections, then
 * the records of one collection after the other. Plain data, in parts that are small whatever the size of the project.
 * What is left out are the answers that are kept for idempotency keys, and how many mails were asked for of late.
 */
export interface Dump {
  /** From the beginning, each time. */
  parts(): AsyncIterable<DumpPart>;
}

export type DumpPart =
  | { readonly kind: 'rows'; readonly table: AccountTable; readonly rows: readonly DumpedRow[] }
  | {
      readonly kind: 'collections';
      readonly lastKey: number;
      readonly collections: readonly DumpedCollection[];
    }
  | { readonly kind: 'records'; readonly collection: string; readonly records: readonly DumpedRecord[] }
  /** The last of a backup: when its moment was, in milliseconds since 1970. */
  | { readonly kind: 'made'; readonly at: number };

/** In the order in which they are dumped. */
export const accountTables = [
  'secrets',
  'users',
  'workspaces',
  'members',
  'sessions',
  'refresh_tokens',
  'keys',
  'outbox',
  'mail_tokens',
  'invitations',
  'departures',
  'factors',
  'recovery_codes',
  'identities',
  'webhooks',
  'deletions',
  'doomed',
  'touched',
] as const;
export type AccountTable = (typeof accountTables)[number];

/** By column. Rows that were made one after the other come in that order. */
export type DumpedRow = Readonly<Record<string, ColumnValue>>;

/** Keys and places are kept: cursors and ETags are made of them. */
export interface DumpedCollection {
  readonly key: number;
  readonly definition: JsonObject & { readonly id: string };
  readonly fieldKeys: Readonly<Record<string, number>>;
  readonly total: number;
  /** The last place given, and the time of the last creation. */
  readonly seq: number;
  readonly created: number;
}

/** A record in its place in the order of creation. */
export interface DumpedRecord {
  readonly seq: number;
  readonly id: string;
  readonly created: number;
  readonly updated: number;
  readonly owner: string | null;
  readonly workspace: string | null;
  readonly json: string;
}
