import { directus } from './directus.ts';
import type { PeerAdapter } from './peer.ts';
import { pocketbase } from './pocketbase.ts';
import { trailbase } from './trailbase.ts';

export const knownPeers: ReadonlyMap<string, PeerAdapter> = new Map([
  ['pocketbase', pocketbase],
  ['trailbase', trailbase],
  ['directus', directus],
]);
