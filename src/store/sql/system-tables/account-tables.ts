import type { TableStyle } from './table-style.ts';

/** Users, their workspaces and sessions, and keys. */
export const accountTables = ({ at, text, integer, serial, byKey }: TableStyle) => `
  CREATE TABLE ${at}secrets (name ${text} PRIMARY KEY, value ${text} NOT NULL)${byKey};
  CREATE TABLE ${at}users (
    seq ${serial},
    id ${text} NOT NULL UNIQUE,
    email ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    password ${text} NOT NULL,
    disabled ${integer} NOT NULL,
    created ${integer} NOT NULL,
    updated ${integer} NOT NULL,
    verified bigint NOT NULL DEFAULT 0,
    profile ${text} NOT NULL DEFAULT '{}',
    folded_name ${text} NOT NULL DEFAULT ''
  );
  CREATE TABLE ${at}workspaces (
    seq ${serial},
    id ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    created ${integer} NOT NULL,
    updated ${integer} NOT NULL
  );
  CREATE TABLE ${at}members (
    seq ${serial},
    workspace ${text} NOT NULL,
    "user" ${text} NOT NULL,
    role ${text} NOT NULL,
    UNIQUE ("user", workspace)
  );
  CREATE INDEX members_workspace ON ${at}members (workspace);
  CREATE TABLE ${at}sessions (
    id ${text} PRIMARY KEY,
    "user" ${text} NOT NULL,
    workspace ${text},
    expires ${integer} NOT NULL,
    used bigint NOT NULL DEFAULT 0,
    address ${text} NOT NULL DEFAULT '',
    agent ${text} NOT NULL DEFAULT '',
    since bigint NOT NULL DEFAULT 0,
    impersonator ${text}
  )${byKey};
  CREATE INDEX sessions_user ON ${at}sessions ("user");
  CREATE INDEX sessions_expires ON ${at}sessions (expires);
  CREATE TABLE ${at}refresh_tokens (
    digest ${text} PRIMARY KEY,
    session ${text} NOT NULL,
    expires ${integer} NOT NULL,
    spent ${integer}
  )${byKey};
  CREATE INDEX refresh_tokens_session ON ${at}refresh_tokens (session);
  CREATE TABLE ${at}keys (
    seq ${serial},
    id ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    digest ${text} NOT NULL UNIQUE,
    created ${integer} NOT NULL,
    access ${text} NOT NULL DEFAULT 'write',
    expires bigint,
    used bigint
  );`;
