import type { JsonObject } from '../model/json.ts';
import type { MailSettings } from '../model/mail-settings.ts';
import type { Provider } from '../model/provider-settings.ts';

export interface AuthSettings {
  /** May anybody sign up? */
  readonly registration: 'open' | 'closed';
  readonly accessTokenMinutes: number;
  readonly refreshTokenDays: number;
  /** Definitions of the profile fields that users of this project have. */
  readonly profile: JsonObject;
  /** What happens to the records of a deleted user. */
  readonly onUserDelete: 'keep' | 'delete';
  readonly mail: MailSettings;
  /** Whether everybody must have a second factor, or only those who want one. */
  readonly totp: 'optional' | 'required';
  /** Identity providers that users may sign in with. */
  readonly providers: readonly Provider[];
  /** The exact URLs of the app that providers may redirect back to. */
  readonly redirects: readonly string[];
  /** Earlier definitions of `profile`, latest last: values written under them are converted. Never shown. */
  readonly formerProfiles?: readonly FormerProfile[];
}

/** Definitions that were replaced. `renames`: new names of fields that the next definitions renamed, with the old ones. */
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
  /** Days for which changes are kept. */
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
