import type { JsonObject } from '../model/json.ts';
import type { Provider } from '../model/provider-settings.ts';
import type { Page, Paged } from './paged.ts';

/** A user's account at a provider. It is identified by issuer and subject, never by its address. */
export interface Identity {
  readonly id: string;
  readonly user: string;
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly created: number;
}

/** A user who is created by signing in with a provider, without a password. */
export interface NewUser {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly verified: boolean;
  readonly profile: JsonObject;
  readonly created: number;
  readonly updated: number;
}

export interface Identities {
  /** Returns the id of its user. */
  findIdentity(issuer: string, subject: string): Promise<string | undefined>;
  listIdentities(user: string, page: Page): Promise<Paged<Identity>>;
  /**
   * Links it to an existing user, with `verified` only if this is still their verified address, or to the new one that is
   * created with it. false: the identity or the address is somebody else's, or the user has changed.
   */
  addIdentity(
    identity: Identity,
    how: { readonly verified: boolean } | { readonly user: NewUser },
  ): Promise<boolean>;
  /** The last way to sign in stays: for a user without a password, the last identity at one of these providers. */
  removeIdentity(
    user: string,
    id: string,
    providers: readonly Pick<Provider, 'id' | 'issuer'>[],
  ): Promise<'removed' | 'absent' | 'last'>;
}
