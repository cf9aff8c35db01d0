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

/** A request of someone who signs in or works with their account. */
export interface AuthAsk {
  readonly project: ProjectAccounts;
  readonly settings: AuthSettings;
  /** Those that there are by now. */
  latestSettings(): Promise<AuthSettings>;
  /** What people call the project. */
  readonly name: string;
  readonly caller: Caller;
  /** A part of the path. */
  param(name: string): string;
  readonly query: string;
  /** `optional`: none is an empty one. */
  body(optional?: boolean): Promise<JsonObject>;
  /** Where the request comes from. */
  readonly address: string;
  /** What the client calls itself. */
  readonly agent: string;
  readonly limit: SignInLimit;
  readonly passwords: Passwords;
  /** undefined: this server sends no mail. */
  readonly mails: Mails | undefined;
  readonly departures: Departures;
  /** Where a provider sends browsers back to. */
  callback(provider: string): string;
  readonly now: number;
}

/**
 * The same request, whose writes look again at what allowed it: the sign-in, and a role in a workspace where it
 * depends on that.
 */
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
