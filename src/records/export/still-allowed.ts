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

export function stillAllowed(ask: Ask): StillAllowed {
  const { caller, scope, now } = ask;
  const { log } = ask.project.store;
  // Who leaves a workspace still has what is not of it.
  const own = caller.kind === 'user' && scope.kind !== 'workspace' ? { ...caller, workspace: null } : caller;
  const authority = projectAuthorityOf(own);
  const begun = performance.now();
  let looked = begun;
  return {
    checkDefinition(definition) {
      const current = methodOpen(caller, definition, 'export')
        ? findMethodScope(caller, definition, 'export')
        : undefined;
      if (!isDeepStrictEqual(current, scope)) throw lost();
    },
    async checkCaller() {
      const at = performance.now();
      if (at - looked < pause) return;
      looked = at;
      const revoked = authority ? await log.findRevoked([authority], now + Math.floor(at - begun)) : [];
      if (revoked.length > 0 || !(await ask.isStillSignedIn())) throw lost();
    },
  };
}

const lost = () => new Failure('forbidden', 'Whoever began this export may not have the rest of it any more');
