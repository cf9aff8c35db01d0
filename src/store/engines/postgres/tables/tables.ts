import type { Collection } from '../../../../model/collection.ts';
import type { ColumnKind, Field } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';
import { foldedKeysOf, hasEmail } from '../../../sql/records/folded-keys.ts';
import { webhookTables } from '../../../sql/webhooks/tables.ts';
import { fitsIndex, indexedParts, longValue, prefixLength, shortValue, uniqueParts } from './text-index.ts';
import { format } from './upgrades.ts';

/** By code point, as SQLite compares, whatever the database's own order is. */
const text = 'text COLLATE "C"';

const columnTypes: Readonly<Record<ColumnKind, string>> = {
  text,
  real: 'double precision',
  integer: 'bigint',
};

/**
 * The tables of a new collection. A record is a row in creation order with its finished JSON beside a typed column
 * for each field; each list and multiple relation has a table of its values. Indexes end with the place in creation
 * order, so that a filtered list comes out of them in the default order.
 */
export function collectionTables(
  schema: string,
  key: number,
  collection: Collection,
  fieldKeys: ReadonlyMap<string, number>,
  trigrams: string | undefined,
): string {
  const fields = [...collection.fields.values()];
  const records = `${schema}.r${key}`;
  const texts = `${schema}.s${key}`;
  const columnOf = (name: string) => `f${fieldKeys.get(name)}`;
  const columns = fields
    .filter((field) => !fieldType(field).plural(field))
    .map((field) => `${columnOf(field.name)} ${columnTypes[fieldType(field).column(field)]},`);
  const indexes = collection.indexes.map(({ fields: names, unique = false }, position) => {
    const parts = names.flatMap((name) => {
      const field = collection.fields.get(name);
      return field ? [{ name: columnOf(name), field }] : [];
    });
    const exact = unique && !hasEmail(collection, names);
    return index(`r${key}_i${position}`, records, exact, exact ? uniqueParts(parts) : indexedParts(parts));
  });
  const keys = foldedKeysOf({ definition: collection, fieldKeys });
  const keyIndexes = keys.map(({ column }) => index(`r${key}_${column}`, records, true, [column]));
  const ofFields = fields.map((field) => fieldTables(schema, key, field, columnOf(field.name)));
  // Where several unique values are taken, PostgreSQL tells of the index that was made first, SQLite of the last one.
  return `
    CREATE TABLE ${records} (
      seq bigint PRIMARY KEY,
      id ${text} NOT NULL,
      created bigint NOT NULL,
      updated bigint NOT NULL,
      owner ${text},
      workspace ${text},
      ${columns.join('\n      ')}
      json ${text} NOT NULL${keys.map(({ column }) => `, ${column} ${text}`).join('')}
    ) WITH (fillfactor = 90);
    CREATE UNIQUE INDEX r${key}_id ON ${records} (id);
    CREATE INDEX r${key}_owner ON ${records} (owner, seq) WHERE owner IS NOT NULL;
    CREATE INDEX r${key}_workspace ON ${records} (workspace, seq) WHERE workspace IS NOT NULL;
    ${[...ofFields, ...indexes, ...keyIndexes].reverse().join('')}
    CREATE TABLE ${texts} (seq bigint PRIMARY KEY, text ${text} NOT NULL);
    ${trigrams === undefined ? '' : `CREATE INDEX s${key}_text ON ${texts} USING gin (text ${trigrams}.gin_trgm_ops);`}`;
}

function fieldTables(schema: string, key: number, field: Field, column: string): string {
  const type = fieldType(field);
  if (type.plural(field)) return valueTable(schema, `l${key}_${column.slice(1)}`, field);
  const parts = [{ name: column, field }];
  const name = `r${key}_${column}`;
  const table = `${schema}.r${key}`;
  if (!field.unique || field.type === 'email') {
    const indexed = field.unique || field.index || field.type === 'relation';
    return indexed ? index(name, table, false, indexedParts(parts)) : '';
  }
  const unique = index(name, table, true, uniqueParts(parts));
  return fitsIndex(field) ? unique : `${unique}${index(`${name}_order`, table, false, indexedParts(parts))}`;
}

function valueTable(schema: string, name: string, field: Field): string {
  const table = `${schema}.${name}`;
  const type = columnTypes[fieldType(field).column(field)];
  if (fitsIndex(field)) {
    return `CREATE TABLE ${table} (value ${type} NOT NULL, seq bigint NOT NULL, PRIMARY KEY (value, seq));\n`;
  }
  return `
    CREATE TABLE ${table} (value ${type} NOT NULL, seq bigint NOT NULL);
    CREATE UNIQUE INDEX ${name}_short ON ${table} (value, seq) WHERE ${shortValue};
    CREATE INDEX ${name}_long ON ${table} (left(value, ${prefixLength}), seq) WHERE ${longValue};
    CREATE INDEX ${name}_seq ON ${table} (seq);`;
}

/** Unset values come first in every sort; a descending one reads the index backwards. */
function index(name: string, table: string, unique: boolean, parts: readonly string[]): string {
  if (unique) return `CREATE UNIQUE INDEX ${name} ON ${table} (${parts.map(first).join(', ')});\n`;
  return `CREATE INDEX ${name} ON ${table} (${[...parts.map(first), 'seq'].join(', ')});\n`;
}

const first = (part: string) => `${part.includes('(') ? `(${part})` : part} NULLS FIRST`;

export const projectTables = (schema: string) => `
  CREATE TABLE ${schema}.meta (name ${text} PRIMARY KEY, value bigint NOT NULL);
  INSERT INTO ${schema}.meta (name, value) VALUES ('schema', 1), ('key', 0), ('format', ${format});
  CREATE TABLE ${schema}.collections (
    key bigint PRIMARY KEY,
    id ${text} NOT NULL UNIQUE,
    definition ${text} NOT NULL,
    field_keys ${text} NOT NULL
  );
  CREATE TABLE ${schema}.counters (
    collection bigint PRIMARY KEY,
    total bigint NOT NULL,
    seq bigint NOT NULL,
    created bigint NOT NULL,
    version bigint NOT NULL
  ) WITH (fillfactor = 20);
  CREATE TABLE ${schema}.touches (
    collection bigint,
    slot bigint,
    version bigint NOT NULL,
    PRIMARY KEY (collection, slot)
  ) WITH (fillfactor = 20);
  CREATE TABLE ${schema}.garbage (key bigint PRIMARY KEY, ready bigint NOT NULL);
  CREATE TABLE ${schema}.idempotency (
    realm ${text} NOT NULL,
    key ${text} NOT NULL,
    digest ${text} NOT NULL,
    results ${text} NOT NULL,
    created bigint NOT NULL,
    PRIMARY KEY (realm, key)
  );
  CREATE INDEX idempotency_created ON ${schema}.idempotency (created);
  CREATE TABLE ${schema}.deletions (at bigint NOT NULL, carrying bigint NOT NULL);
  CREATE TABLE ${schema}.doomed (
    n bigint PRIMARY KEY,
    collection bigint NOT NULL,
    id text NOT NULL,
    stage bigint NOT NULL,
    relation bigint NOT NULL,
    last bigint NOT NULL,
    UNIQUE (collection, id)
  );
  CREATE INDEX doomed_stage ON ${schema}.doomed (stage, n);
  CREATE TABLE ${schema}.touched (collection bigint PRIMARY KEY, changes bigint NOT NULL);
  CREATE TABLE ${schema}.changes (
    pos bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    mark bigint NOT NULL,
    kind bigint NOT NULL,
    collection bigint NOT NULL,
    id ${text} NOT NULL,
    at bigint NOT NULL,
    owner ${text},
    workspace ${text},
    old_owner ${text},
    old_workspace ${text}
  );
  CREATE INDEX changes_handover ON ${schema}.changes (collection, id) WHERE kind = 5;

  CREATE TABLE ${schema}.secrets (name ${text} PRIMARY KEY, value ${text} NOT NULL);
  CREATE TABLE ${schema}.users (
    seq bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    id ${text} NOT NULL UNIQUE,
    email ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    password ${text} NOT NULL,
    disabled bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    verified bigint NOT NULL DEFAULT 0,
    profile ${text} NOT NULL DEFAULT '{}',
    folded_name ${text} NOT NULL DEFAULT ''
  );
  CREATE TABLE ${schema}.workspaces (
    seq bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    id ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL
  );
  CREATE TABLE ${schema}.members (
    seq bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    workspace ${text} NOT NULL,
    "user" ${text} NOT NULL,
    role ${text} NOT NULL,
    UNIQUE ("user", workspace)
  );
  CREATE INDEX members_workspace ON ${schema}.members (workspace);
  CREATE TABLE ${schema}.sessions (
    id ${text} PRIMARY KEY,
    "user" ${text} NOT NULL,
    workspace ${text},
    expires bigint NOT NULL,
    used bigint NOT NULL DEFAULT 0,
    address ${text} NOT NULL DEFAULT '',
    agent ${text} NOT NULL DEFAULT '',
    since bigint NOT NULL DEFAULT 0,
    impersonator ${text}
  );
  CREATE INDEX sessions_user ON ${schema}.sessions ("user");
  CREATE INDEX sessions_expires ON ${schema}.sessions (expires);
  CREATE TABLE ${schema}.refresh_tokens (
    digest ${text} PRIMARY KEY,
    session ${text} NOT NULL,
    expires bigint NOT NULL,
    spent bigint
  );
  CREATE INDEX refresh_tokens_session ON ${schema}.refresh_tokens (session);
  CREATE TABLE ${schema}.keys (
    seq bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    id ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    digest ${text} NOT NULL UNIQUE,
    created bigint NOT NULL,
    access ${text} NOT NULL DEFAULT 'write',
    expires bigint,
    used bigint
  );
  CREATE TABLE ${schema}.factors (
    account ${text} PRIMARY KEY,
    secret ${text} NOT NULL,
    confirmed bigint NOT NULL,
    step bigint NOT NULL,
    failures ${text} NOT NULL
  );
  CREATE TABLE ${schema}.recovery_codes (digest ${text} PRIMARY KEY, account ${text} NOT NULL);
  CREATE INDEX recovery_codes_account ON ${schema}.recovery_codes (account);
  CREATE TABLE ${schema}.identities (
    id ${text} PRIMARY KEY,
    account ${text} NOT NULL,
    provider ${text} NOT NULL,
    issuer ${text} NOT NULL,
    subject ${text} NOT NULL,
    email ${text} NOT NULL,
    created bigint NOT NULL,
    UNIQUE (issuer, subject)
  );
  CREATE INDEX identities_account ON ${schema}.identities (account);
  CREATE TABLE ${schema}.sign_in_steps (
    digest ${text} PRIMARY KEY,
    kind ${text} NOT NULL,
    data ${text} NOT NULL,
    expires bigint NOT NULL
  );
  CREATE INDEX sign_in_steps_expires ON ${schema}.sign_in_steps (expires);
  CREATE TABLE ${schema}.outbox (
    id ${text} PRIMARY KEY,
    kind ${text} NOT NULL,
    email ${text} NOT NULL,
    subject ${text},
    created bigint NOT NULL,
    due bigint NOT NULL,
    tries bigint NOT NULL
  );
  CREATE INDEX outbox_due ON ${schema}.outbox (due);
  CREATE TABLE ${schema}.mail_tokens (
    digest ${text} PRIMARY KEY,
    purpose ${text} NOT NULL,
    "user" ${text} NOT NULL,
    address ${text} NOT NULL,
    target ${text},
    password ${text} NOT NULL,
    expires bigint NOT NULL
  );
  CREATE INDEX mail_tokens_user ON ${schema}.mail_tokens ("user");
  CREATE INDEX mail_tokens_expires ON ${schema}.mail_tokens (expires);
  CREATE TABLE ${schema}.mail_limits (subject ${text} PRIMARY KEY, times ${text} NOT NULL, ends bigint NOT NULL);
  CREATE INDEX mail_limits_ends ON ${schema}.mail_limits (ends);
  CREATE TABLE ${schema}.invitations (
    id ${text} PRIMARY KEY,
    workspace ${text} NOT NULL,
    email ${text} NOT NULL,
    role ${text} NOT NULL,
    digest ${text},
    created bigint NOT NULL,
    expires bigint NOT NULL,
    UNIQUE (workspace, email)
  );
  CREATE INDEX invitations_email ON ${schema}.invitations (email);
  CREATE TABLE ${schema}.departures (id ${text} PRIMARY KEY, kind ${text} NOT NULL, created bigint NOT NULL);
  ${webhookTables(`${schema}.`)}`;

export const instanceTables = (schema: string) => `
  CREATE TABLE ${schema}.administrator_factors (
    account ${text} PRIMARY KEY,
    secret ${text} NOT NULL,
    confirmed bigint NOT NULL,
    step bigint NOT NULL,
    failures ${text} NOT NULL
  );
  CREATE TABLE ${schema}.administrator_recovery_codes (digest ${text} PRIMARY KEY, account ${text} NOT NULL);
  CREATE TABLE ${schema}.administrator_steps (
    digest ${text} PRIMARY KEY,
    kind ${text} NOT NULL,
    data ${text} NOT NULL,
    expires bigint NOT NULL
  );
  CREATE TABLE ${schema}.backup_runs (
    id text PRIMARY KEY, project text NOT NULL, kind text NOT NULL, backup text NOT NULL, started bigint NOT NULL,
    beat bigint NOT NULL, status text NOT NULL, error text
  );
  CREATE TABLE ${schema}.leases (name text PRIMARY KEY, holder text NOT NULL, beat bigint NOT NULL);
  CREATE TABLE ${schema}.work (kind text NOT NULL, project text NOT NULL, PRIMARY KEY (kind, project));
  CREATE TABLE ${schema}.format (number bigint NOT NULL);
  CREATE TABLE ${schema}.projects (
    seq bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    id ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    auth ${text} NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    changes_days bigint
  );
  CREATE TABLE ${schema}.administrators (email ${text} PRIMARY KEY, password ${text} NOT NULL);
  CREATE TABLE ${schema}.setup (digest ${text} PRIMARY KEY);
  CREATE TABLE ${schema}.administrator_signins (
    digest ${text} PRIMARY KEY,
    email ${text} NOT NULL,
    used bigint NOT NULL,
    ends bigint NOT NULL
  );
  CREATE TABLE ${schema}.administrator_invitations (
    email ${text} PRIMARY KEY,
    digest ${text} NOT NULL,
    expires bigint NOT NULL
  );
  CREATE TABLE ${schema}.administrator_tickets (
    digest ${text} PRIMARY KEY,
    path ${text} NOT NULL,
    expires bigint NOT NULL,
    actor ${text} NOT NULL
  );
  CREATE TABLE ${schema}.audit (
    id ${text} PRIMARY KEY,
    at bigint NOT NULL,
    actor ${text},
    action ${text} NOT NULL,
    project ${text},
    target ${text},
    address ${text} NOT NULL,
    request ${text} NOT NULL,
    outcome ${text}
  );
  CREATE INDEX audit_at ON ${schema}.audit (at);
  CREATE INDEX audit_actor ON ${schema}.audit (actor, id);
  CREATE INDEX audit_action ON ${schema}.audit (action, id);
  CREATE INDEX audit_project ON ${schema}.audit (project, id);`;
