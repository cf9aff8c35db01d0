import type { TableStyle } from './table-style.ts';

/**
 * A project's tables besides those of collections and accounts: definitions, stored answers, deletions under way, the change
 * log.
 */
export const projectTables = ({ at, text, integer, position, byKey }: TableStyle) => `
  CREATE TABLE ${at}collections (
    key ${integer} PRIMARY KEY,
    id ${text} NOT NULL UNIQUE,
    definition ${text} NOT NULL,
    field_keys ${text} NOT NULL
  );
  CREATE TABLE ${at}garbage (key ${integer} PRIMARY KEY, ready ${integer} NOT NULL);
  CREATE TABLE ${at}idempotency (
    realm ${text} NOT NULL,
    key ${text} NOT NULL,
    digest ${text} NOT NULL,
    results ${text} NOT NULL,
    created ${integer} NOT NULL,
    PRIMARY KEY (realm, key)
  )${byKey};
  CREATE INDEX idempotency_created ON ${at}idempotency (created);
  CREATE TABLE ${at}deletions (at bigint NOT NULL, carrying bigint NOT NULL);
  CREATE TABLE ${at}doomed (
    n bigint PRIMARY KEY,
    collection bigint NOT NULL,
    id text NOT NULL,
    stage bigint NOT NULL,
    relation bigint NOT NULL,
    last bigint NOT NULL,
    UNIQUE (collection, id)
  );
  CREATE INDEX doomed_stage ON ${at}doomed (stage, n);
  CREATE TABLE ${at}touched (collection ${integer} PRIMARY KEY, changes ${integer} NOT NULL);
  CREATE TABLE ${at}changes (
    pos ${position},
    mark ${integer} NOT NULL,
    kind ${integer} NOT NULL,
    collection ${integer} NOT NULL,
    id ${text} NOT NULL,
    at ${integer} NOT NULL,
    owner ${text},
    workspace ${text},
    old_owner ${text},
    old_workspace ${text}
  );
  CREATE INDEX changes_handover ON ${at}changes (collection, id) WHERE kind = 5;`;
