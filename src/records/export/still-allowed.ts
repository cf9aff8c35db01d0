import { isDeepStrictEqual } from 'node:util';
import { projectAuthorityOf } from '../../access/authority.ts';
import { findMethodScope, methodOpen } from '../../access/scope.ts';
import { Failure } from '../../failure.ts';
import type { Collection } from '../../model/collection.ts';
import type { Ask } from '../ask.ts';

/** Whether whoever began an export may have the rest of it: it lasts as long as its client takes, which may be days. */
export interface StillAllowed {
  /** Throws where another definition gives the caller other records, or none. */
  checkDefinition(definition: Collection): void;
  /** Throws where the caller's sign-in, membership or key is gone. */
  checkCaller(): Promise<void>;
}

/** Milliseconds between two looks: one for each page would slow down whoever reads fast. */
const pause = 250;

export function stillAllowed({ project: { store }, caller, scope, now }: Ask): StillAllowed {
  const authority = projectAuthorityOf(caller);
  const begun = performance.now();
  let looked = begun;
  return {
    checkDefinition(definition) {
      const own = methodOpen(caller, definition, 'export')
        ? findMethodScope(caller, definition, 'export')
        : undefined;
      if (!isDeepStrictEqual(own, scope)) throw lost();
    },
    async checkCaller() {
      const at = performance.now();
      if (!authority || at - looked < pause) return;
      looked = at;
      const revoked = await store.log.findRevoked([authority], now + Math.floor(at - begun));
      if (revoked.length > 0) throw lost();
    },
  };
}

const lost = () => new Failure('forbidden', 'Whoever began this export may not have the rest of it any more');
