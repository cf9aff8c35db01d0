import { countedAddress } from './networks.ts';

/** What a server key may do: everything, or look at everything. */
export type KeyAccess = 'read' | 'write';

export type Caller =
  | { readonly kind: 'nobody' }
  | {
      readonly kind: 'user';
      readonly user: string;
      readonly workspace: string | null;
      /** The sign-in the token is of. */
      readonly session: string;
      /** May set up the second factor that the project requires, and nothing else. */
      readonly enrols?: true;
      /** Who acts for the user, as the audit names them. */
      readonly act?: string;
      /** A digest of the password or key by which they do. */
      readonly actBy?: string | undefined;
    }
  | { readonly kind: 'key'; readonly key: string; readonly access: KeyAccess }
  | {
      readonly kind: 'administrator';
      /** The digest of the token of their sign-in; whoever holds the instance's key has none. */
      readonly signIn?: string;
    };

export const nobody: Caller = { kind: 'nobody' };
export const administrator: Caller = { kind: 'administrator' };

/** May hand a record to somebody by writing `_owner` and `_workspace`. */
export function mayBind(caller: Caller): boolean {
  return caller.kind === 'key' || caller.kind === 'administrator';
}

/** May look at things and change none. */
export function isReader(caller: Caller): boolean {
  return caller.kind === 'key' && caller.access === 'read';
}

/** Who is counted as one. Callers without a token are distinguished by their address. */
export function callerKey(caller: Caller, address: () => string): string {
  switch (caller.kind) {
    case 'user':
      return `user ${caller.user}`;
    case 'key':
      return `key ${caller.key}`;
    case 'administrator':
      return 'administrator';
    case 'nobody':
      return addressKey(address());
  }
}

export const addressKey = (address: string) => `address ${countedAddress(address)}`;
