import { factorTables } from './sign-in-tables.ts';
import type { TableStyle } from './table-style.ts';

/** The projects, the administrators, the audit log, and background work. */
export const instanceTables = (style: TableStyle) => {
  const { at, text, integer, serial, byKey } = style;
  return `
  CREATE TABLE ${at}projects (
    seq ${serial},
    id ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    auth ${text} NOT NULL,
    created ${integer} NOT NULL,
    updated ${integer} NOT NULL,
    changes_days ${integer}
  );
  CREATE TABLE ${at}administrators (email ${text} PRIMARY KEY, password ${text} NOT NULL)${byKey};
  CREATE TABLE ${at}setup (digest ${text} PRIMARY KEY)${byKey};
  CREATE TABLE ${at}administrator_signins (
    digest ${text} PRIMARY KEY,
    email ${text} NOT NULL,
    used ${integer} NOT NULL,
    ends ${integer} NOT NULL
  )${byKey};
  CREATE TABLE ${at}administrator_invitations (
    email ${text} PRIMARY KEY,
    digest ${text} NOT NULL,
    expires ${integer} NOT NULL
  )${byKey};
  CREATE TABLE ${at}administrator_tickets (
    digest ${text} PRIMARY KEY,
    path ${text} NOT NULL,
    expires ${integer} NOT NULL,
    actor ${text} NOT NULL
  )${byKey};
  ${factorTables(style, {
    factors: 'administrator_factors',
    codes: 'administrator_recovery_codes',
    steps: 'administrator_steps',
  })}
  CREATE TABLE ${at}audit (
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
  CREATE INDEX audit_at ON ${at}audit (at);
  CREATE INDEX audit_actor ON ${at}audit (actor, id);
  CREATE INDEX audit_action ON ${at}audit (action, id);
  CREATE INDEX audit_project ON ${at}audit (project, id);
  CREATE TABLE ${at}backup_runs (
    id text PRIMARY KEY,
    project text NOT NULL,
    kind text NOT NULL,
    backup text NOT NULL,
    started bigint NOT NULL,
    beat bigint NOT NULL,
    status text NOT NULL,
    error text
  );
  CREATE TABLE ${at}leases (name text PRIMARY KEY, holder text NOT NULL, beat bigint NOT NULL);
  CREATE TABLE ${at}work (kind text NOT NULL, project text NOT NULL, mark text, PRIMARY KEY (kind, project));`;
};
