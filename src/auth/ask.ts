import type { Authority } from '../access/authority.ts';
import type { Caller } from '../access/caller.ts';
import type { Passwords } from '../access/password.ts';
import type { SignInLimit } from '../access/sign-in-limit.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import type { Mails } from '../mail/mails.ts';
import type { JsonObject } from '../model/json.ts';
import type { Departures } from '../records/departures.ts';
import type { AuthSettings } from '../store/project-record.ts';

/** A request to sign in, or of a user about their own account. */
export interface AuthAsk {
  readonly project: ProjectAccounts;
  readonly settings: AuthSettings;
  /** Reads the settings again. */
  latestSettings(): Promise<AuthSettings>;
  /** The project's display name. */
  readonly name: string;
  readonly caller: Caller;
  /** A parameter of the path. */
  param(name: string): string;
  readonly query: string;
  /** `optional`: a missing body counts as an empty one. */
  body(optional?: boolean): Promise<JsonObject>;
  /** The client's IP address. */
  readonly address: string;
  /** The client's User-Agent. */
  readonly agent: string;
  readonly limit: SignInLimit;
  readonly passwords: Passwords;
  /** undefined: this server sends no mail. */
  readonly mails: Mails | undefined;
  readonly departures: Departures;
  /** The callback URL for a provider. */
  callback(provider: string): string;
  readonly now: number;
}

/** The same request, whose writes check again what allowed it: the session and, if given, the role in a workspace. */
export function withRights(ask: AuthAsk, role?: { workspace: string; owner: boolean }): AuthAsk {
  const { user, session } = requireUser(ask);
  const { id, tokens, store } = ask.project;
  const authority: Authority = { kind: 'user', user, session, workspace: null, ...(role && { role }) };
  return { ...ask, project: { id, tokens, store: { accounts: store.accounts.as(authority) } } };
}

export type UserCaller = Extract<Caller, { kind: 'user' }>;

export function requireUser({ caller }: AuthAsk): UserCaller {
  if (caller.kind === 'user') return caller;
  if (caller.kind === 'nobody') {
    throw new Failure(
      'unauthenticated',
      'Sign in first, then send the header Authorization: Bearer <accessToken>',
    );
  }
  throw new Failure(
    'forbidden',
    "This is for a user's own token: manage users and workspaces under /v1/_admin",
  );
}
