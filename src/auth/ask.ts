import type { Caller } from '../access/caller.ts';
import type { Passwords } from '../access/password.ts';
import type { SignInLimit } from '../access/sign-in-limit.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { AuthSettings } from '../store/store.ts';

/** A request of someone who signs in or works with their account. */
export interface AuthAsk {
  readonly project: ProjectAccounts;
  readonly settings: AuthSettings;
  readonly caller: Caller;
  /** A part of the path. */
  param(name: string): string;
  readonly query: string;
  body(): Promise<JsonObject>;
  /** Where the request comes from. */
  readonly address: string;
  readonly limit: SignInLimit;
  readonly passwords: Passwords;
  readonly now: number;
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
