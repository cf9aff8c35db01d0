import type { TableStyle } from './table-style.ts';

/**
 * Mails to be sent, the tokens in them, invitations to workspaces, and deleted accounts whose records are still to be deleted.
 */
export const mailTables = ({ at, text }: TableStyle) => `
  CREATE TABLE ${at}outbox (
    id ${text} PRIMARY KEY,
    kind ${text} NOT NULL,
    email ${text} NOT NULL,
    subject ${text},
    created bigint NOT NULL,
    due bigint NOT NULL,
    tries bigint NOT NULL
  );
  CREATE INDEX outbox_due ON ${at}outbox (due);
  CREATE TABLE ${at}mail_tokens (
    digest ${text} PRIMARY KEY,
    purpose ${text} NOT NULL,
    "user" ${text} NOT NULL,
    address ${text} NOT NULL,
    target ${text},
    password ${text} NOT NULL,
    expires bigint NOT NULL
  );
  CREATE INDEX mail_tokens_user ON ${at}mail_tokens ("user");
  CREATE INDEX mail_tokens_expires ON ${at}mail_tokens (expires);
  CREATE TABLE ${at}mail_limits (subject ${text} PRIMARY KEY, times ${text} NOT NULL, ends bigint NOT NULL);
  CREATE INDEX mail_limits_ends ON ${at}mail_limits (ends);
  CREATE TABLE ${at}invitations (
    id ${text} PRIMARY KEY,
    workspace ${text} NOT NULL,
    email ${text} NOT NULL,
    role ${text} NOT NULL,
    digest ${text},
    created bigint NOT NULL,
    expires bigint NOT NULL,
    UNIQUE (workspace, email)
  );
  CREATE INDEX invitations_email ON ${at}invitations (email);
  CREATE TABLE ${at}departures (id ${text} PRIMARY KEY, kind ${text} NOT NULL, created bigint NOT NULL);`;
