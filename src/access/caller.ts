import { countedAddress } from './networks.ts';

/** Server keys see all records; with `write` they may also change them. */
export type KeyAccess = 'read' | 'write';

export type Caller =
  | { readonly kind: 'nobody' }
  | {
      readonly kind: 'user';
      readonly user: string;
      readonly workspace: string | null;
      /** The session of the token. */
      readonly session: string;
      /** May only set up the second factor that the project requires. */
      readonly enrols?: true;
      /** Who acts for the user, as the audit names them. */
      readonly act?: string;
      /** A digest of that administrator's password or key. */
      readonly actBy?: string | undefined;
    }
  | { readonly kind: 'key'; readonly key: string; readonly access: KeyAccess }
  | {
      readonly kind: 'administrator';
      /** The digest of their session token; the holder of the instance's key has none. */
      readonly signIn?: string;
    };

export const nobody: Caller = { kind: 'nobody' };
export const administrator: Caller = { kind: 'administrator' };

/** Whether the caller may assign records by writing `_owner` and `_workspace`. */
export function mayBind(caller: Caller): boolean {
  return caller.kind === 'key' || caller.kind === 'administrator';
}

/** Whether the caller may only read. */
export function isReader(caller: Caller): boolean {
  return caller.kind === 'key' && caller.access === 'read';
}

/** The key by which limits count a caller. Callers without a token are distinguished by their address. */
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
