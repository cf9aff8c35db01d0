import type { Json } from './types.ts';

/** What management answers and takes about an instance and its projects, as far as a caller needs to know it. */

export interface Administrator {
  readonly _id?: string;
  readonly email: string;
  readonly _createdAt?: string;
}

/** Of an administrator who is yet to be one. */
export interface AdministratorInvitation {
  readonly _id: string;
  readonly email: string;
  readonly expiresAt: string;
}

/** Who is signed in; nobody in particular with `VITRINE_ADMIN_KEY`. */
export interface CurrentAdministrator {
  readonly _id: string | null;
  readonly email: string | null;
  readonly expiresAt: string | null;
}

/** What signing in answers where there is a second factor: `factor` takes it, with a code. */
export interface AdministratorFactor {
  readonly factorToken: string;
  readonly expiresIn: number;
}

export interface AdministratorSignIn {
  readonly administrator: Administrator;
  readonly accessToken: string;
  readonly tokenType: 'Bearer';
  readonly expiresIn: number;
}

/** What is not named in a PATCH stays as it is. */
export interface AuthSettings {
  readonly registration?: 'open' | 'closed';
  readonly accessTokenMinutes?: number;
  readonly refreshTokenDays?: number;
  readonly onUserDelete?: 'keep' | 'delete';
  readonly [setting: string]: Json | undefined;
}

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly auth: AuthSettings;
  /** For how many days the change feed remembers. */
  readonly changes: { readonly days: number };
  readonly _createdAt: string;
  readonly _updatedAt: string;
}

export interface Backup {
  readonly _id: string;
  readonly project: string;
  readonly _createdAt: string;
  readonly status: 'running' | 'done' | 'failed';
  readonly bytes?: number;
  readonly records?: number;
  readonly checksum?: string;
  readonly [detail: string]: Json | undefined;
}

export interface AuditEntry {
  readonly _id: string;
  readonly at: string;
  /** An administrator's address, `VITRINE_ADMIN_KEY`, `command line` or `key:<id>`; null: a stranger who tried to sign in. */
  readonly actor: string | null;
  readonly action: string;
  readonly project: string | null;
  readonly target: string | null;
  readonly address: string | null;
  /** unknown: the process ended meanwhile, or nobody can tell. */
  readonly outcome: 'done' | 'refused' | 'unknown';
  readonly requestId: string;
}

/** One exact value each. */
export interface AuditFilter {
  readonly project?: string;
  readonly actor?: string;
  readonly action?: string;
}

export interface AuditPage {
  readonly perPage: number;
  /** null at the end. */
  readonly next: string | null;
  readonly found: AuditEntry[];
}
