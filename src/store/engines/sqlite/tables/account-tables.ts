import { randomBytes } from 'node:crypto';
import { tables } from '../../../sql/tables.ts';
import { sql } from '../../../sql/tag.ts';
import { webhookTables } from '../../../sql/webhooks/tables.ts';
import type { Database } from '../connection/database.ts';

export function createAccountTables(db: Database): void {
  db.exec(`
    CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE users (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      email TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      password TEXT NOT NULL,
      disabled INTEGER NOT NULL,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      verified bigint NOT NULL DEFAULT 0,
      profile TEXT NOT NULL DEFAULT '{}',
      folded_name text NOT NULL DEFAULT ''
    );
    CREATE TABLE workspaces (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL
    );
    CREATE TABLE members (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      workspace TEXT NOT NULL,
      user TEXT NOT NULL,
      role TEXT NOT NULL,
      UNIQUE (user, workspace)
    );
    CREATE INDEX members_workspace ON members (workspace);
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      user TEXT NOT NULL,
      workspace TEXT,
      expires INTEGER NOT NULL,
      used bigint NOT NULL DEFAULT 0,
      address TEXT NOT NULL DEFAULT '',
      agent TEXT NOT NULL DEFAULT '',
      since bigint NOT NULL DEFAULT 0,
      impersonator text
    ) WITHOUT ROWID;
    CREATE INDEX sessions_user ON sessions (user);
    CREATE INDEX sessions_expires ON sessions (expires);
    CREATE TABLE refresh_tokens (
      digest TEXT PRIMARY KEY,
      session TEXT NOT NULL,
      expires INTEGER NOT NULL,
      spent INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX refresh_tokens_session ON refresh_tokens (session);
    CREATE TABLE keys (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      digest TEXT NOT NULL UNIQUE,
      created INTEGER NOT NULL,
      access text NOT NULL DEFAULT 'write',
      expires bigint,
      used bigint
    );
    CREATE TABLE outbox (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      email TEXT NOT NULL,
      subject TEXT,
      created bigint NOT NULL,
      due bigint NOT NULL,
      tries bigint NOT NULL
    );
    CREATE INDEX outbox_due ON outbox (due);
    CREATE TABLE mail_tokens (
      digest TEXT PRIMARY KEY,
      purpose TEXT NOT NULL,
      "user" TEXT NOT NULL,
      address TEXT NOT NULL,
      target TEXT,
      password TEXT NOT NULL,
      expires bigint NOT NULL
    );
    CREATE INDEX mail_tokens_user ON mail_tokens ("user");
    CREATE INDEX mail_tokens_expires ON mail_tokens (expires);
    CREATE TABLE mail_limits (subject TEXT PRIMARY KEY, times TEXT NOT NULL, ends bigint NOT NULL);
    CREATE INDEX mail_limits_ends ON mail_limits (ends);
    CREATE TABLE invitations (
      id TEXT PRIMARY KEY,
      workspace TEXT NOT NULL,
      email TEXT NOT NULL,
      role TEXT NOT NULL,
      digest TEXT,
      created bigint NOT NULL,
      expires bigint NOT NULL,
      UNIQUE (workspace, email)
    );
    CREATE INDEX invitations_email ON invitations (email);
    CREATE TABLE departures (id TEXT PRIMARY KEY, kind TEXT NOT NULL, created bigint NOT NULL);
    CREATE TABLE factors (
      account text PRIMARY KEY,
      secret text NOT NULL,
      confirmed bigint NOT NULL,
      step bigint NOT NULL,
      failures text NOT NULL
    );
    CREATE TABLE recovery_codes (digest text PRIMARY KEY, account text NOT NULL);
    CREATE INDEX recovery_codes_account ON recovery_codes (account);
    CREATE TABLE identities (
      id text PRIMARY KEY,
      account text NOT NULL,
      provider text NOT NULL,
      issuer text NOT NULL,
      subject text NOT NULL,
      email text NOT NULL,
      created bigint NOT NULL,
      UNIQUE (issuer, subject)
    );
    CREATE INDEX identities_account ON identities (account);
    CREATE TABLE sign_in_steps (
      digest text PRIMARY KEY,
      kind text NOT NULL,
      data text NOT NULL,
      expires bigint NOT NULL
    );
    CREATE INDEX sign_in_steps_expires ON sign_in_steps (expires);
    ${webhookTables('')}
  `);
  const secret = randomBytes(32).toString('base64url');
  db.run(sql`INSERT INTO ${tables.secrets} (name, value) VALUES ('signing', ${secret})`);
}
