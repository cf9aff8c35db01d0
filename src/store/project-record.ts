import type { JsonObject } from '../model/json.ts';
import type { MailSettings } from '../model/mail-settings.ts';
import type { Provider } from '../model/provider-settings.ts';

export interface AuthSettings {
  /** May anybody sign up? */
  readonly registration: 'open' | 'closed';
  readonly accessTokenMinutes: number;
  readonly refreshTokenDays: number;
  /** Fields of the project's own on its users, as they were defined. */
  readonly profile: JsonObject;
  /** What becomes of the records of a user who is deleted. */
  readonly onUserDelete: 'keep' | 'delete';
  readonly mail: MailSettings;
  /** Is a second factor asked of everybody, or of those who want one? */
  readonly totp: 'optional' | 'required';
  /** Those at whom users may sign in. */
  readonly providers: readonly Provider[];
  /** The exact addresses of the app, to which they come back. */
  readonly redirects: readonly string[];
  /** The definitions of `profile` before, the latest last: values that were written by them are carried over. Shown to nobody. */
  readonly formerProfiles?: readonly FormerProfile[];
}

/** Definitions that were replaced, and which of their fields the renamed ones of those that followed were. */
export interface FormerProfile {
  readonly profile: JsonObject;
  readonly renames: Readonly<Record<string, string>>;
}

export const defaultAuth: AuthSettings = {
  registration: 'open',
  accessTokenMinutes: 15,
  refreshTokenDays: 30,
  profile: {},
  onUserDelete: 'keep',
  mail: {},
  totp: 'optional',
  providers: [],
  redirects: [],
};

export interface ChangesSettings {
  /** For which changes are kept. */
  readonly days: number;
}

export const defaultChanges: ChangesSettings = { days: 7 };

export interface ProjectRecord {
  readonly id: string;
  readonly name: string;
  readonly auth: AuthSettings;
  readonly created: number;
  readonly updated: number;
  /** undefined: the default. */
  readonly changes?: ChangesSettings | undefined;
}

export interface ProjectChange {
  readonly name?: string;
  readonly auth?: AuthSettings;
  readonly changes?: ChangesSettings;
}
