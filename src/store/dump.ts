import type { ColumnValue } from '../model/field.ts';
import type { JsonObject } from '../model/json.ts';

/**
 * Everything of a project, in an order in which it can be restored: its accounts, and a large deletion that is under way, which
 * goes on where the new project is opened; then the definitions of all collections; then the records of one collection after
 * the other. Plain data, in parts that are small whatever the size of the project. Answers that are kept for idempotency keys
 * are left out, and so are the counts of recent mails.
 */
export interface Dump {
  /** Each call begins anew. */
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
  /** The last part of a backup: the moment it is of, in milliseconds since 1970. */
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

/** Values by column. Rows that have an order of creation come in that order. */
export type DumpedRow = Readonly<Record<string, ColumnValue>>;

/** Keys and places are kept, as cursors and ETags contain them. */
export interface DumpedCollection {
  readonly key: number;
  readonly definition: JsonObject & { readonly id: string };
  readonly fieldKeys: Readonly<Record<string, number>>;
  readonly total: number;
  /** The last place that was given, and the time of the last creation. */
  readonly seq: number;
  readonly created: number;
}

/** A record with its place in the order of creation. */
export interface DumpedRecord {
  readonly seq: number;
  readonly id: string;
  readonly created: number;
  readonly updated: number;
  readonly owner: string | null;
  readonly workspace: string | null;
  readonly json: string;
}
