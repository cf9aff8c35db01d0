import { isDeepStrictEqual } from 'node:util';
import { projectAuthorityOf } from '../../access/authority.ts';
import { findMethodScope, methodOpen } from '../../access/scope.ts';
import { Failure } from '../../failure.ts';
import type { Collection } from '../../model/collection.ts';
import type { Ask } from '../ask.ts';

/** Checks during an export that its caller may have the rest: it lasts as long as the client reads, which may be days. */
export interface StillAllowed {
  /** Throws if a new definition gives the caller other records, or none. */
  checkDefinition(definition: Collection): void;
  /** Throws if the caller's session, membership or key is gone. */
  checkCaller(): Promise<void>;
}

/** Milliseconds between two checks: one for each page would slow down fast readers. */
const pause = 250;

export function stillAllowed(ask: Ask): StillAllowed {
  const { caller, scope, now } = ask;
  const { log } = ask.project.store;
  // A user who leaves a workspace keeps access to records that do not depend on it.
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
