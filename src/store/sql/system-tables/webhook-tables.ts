import type { TableStyle } from './table-style.ts';

/** Webhooks and their deliveries. A webhook that comes from a backup or a copy is paused. */
export const webhookTables = ({ at }: TableStyle) => `
  CREATE TABLE ${at}webhooks (
    id text PRIMARY KEY,
    name text NOT NULL,
    url text NOT NULL,
    collections text NOT NULL,
    kinds text NOT NULL,
    fields text,
    secret text NOT NULL,
    former text,
    former_until bigint,
    paused text DEFAULT 'restored',
    position text NOT NULL DEFAULT '',
    last_n bigint NOT NULL DEFAULT 0,
    failures bigint NOT NULL DEFAULT 0,
    failing_since bigint,
    created bigint NOT NULL,
    updated bigint NOT NULL
  );
  CREATE TABLE ${at}webhook_deliveries (
    webhook text NOT NULL,
    n bigint NOT NULL,
    position text NOT NULL,
    kind text NOT NULL,
    collection text NOT NULL,
    record text NOT NULL,
    changed bigint NOT NULL,
    state text NOT NULL,
    attempt bigint NOT NULL,
    code bigint,
    reason text,
    ms bigint,
    at bigint,
    next_at bigint,
    PRIMARY KEY (webhook, n)
  );
  CREATE INDEX webhook_due ON ${at}webhook_deliveries (webhook, next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX webhook_waiting ON ${at}webhook_deliveries (webhook, record) WHERE state = 'waiting';`;
