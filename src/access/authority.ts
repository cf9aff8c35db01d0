import { Failure } from '../failure.ts';
import type { Caller } from './caller.ts';

/**
 * The right by which a request was let in, as plain data. The store checks it again in the transaction that writes, so that a
 * right that is revoked while the body is still arriving is not used.
 */
export type Authority = ProjectAuthority | { readonly kind: 'administrator'; readonly signIn: string };

/** Rights that are stored in the project: sessions, memberships and keys. */
export type ProjectAuthority =
  | {
      readonly kind: 'user';
      readonly user: string;
      readonly session: string;
      /** The current workspace, of which the user must still be a member. */
      readonly workspace: string | null;
      /** A workspace in which the user must still be an owner, or a member with any role. */
      readonly role?: { readonly workspace: string; readonly owner: boolean };
    }
  | { readonly kind: 'key'; readonly key: string };

/** undefined: there is nothing that could be revoked. */
export function authorityOf(caller: Caller): Authority | undefined {
  if (caller.kind !== 'administrator') return projectAuthorityOf(caller);
  const { kind, signIn } = caller;
  return signIn === undefined ? undefined : { kind, signIn };
}

/** undefined: there is nothing that the project could revoke. */
export function projectAuthorityOf(caller: Caller): ProjectAuthority | undefined {
  switch (caller.kind) {
    case 'user': {
      const { kind, user, session, workspace } = caller;
      return { kind, user, session, workspace };
    }
    case 'key':
      return { kind: 'key', key: caller.key };
    case 'nobody':
    case 'administrator':
      return undefined;
  }
}

/** For a token, session or key that is invalid or has expired: the response does not say which. */
export function invalidToken(): Failure {
  return new Failure('unauthenticated', 'The token is not valid or has expired');
}

export function noLongerMember(): Failure {
  return new Failure(
    'forbidden',
    'You are not a member of the current workspace any more: switch to another one',
  );
}
