import { v7 as uuidv7 } from 'uuid';
import { readNetworks } from '../access/networks.ts';
import { hashedAtOnce } from '../access/password.ts';
import { createTurns } from '../access/turns.ts';
import { actors, createAudit } from '../audit/audit.ts';
import { Feeds } from '../changes/project-feeds.ts';
import { TroubleLog } from '../jobs/trouble-log.ts';
import { takeSnapshot } from '../metrics/snapshot.ts';
import { Departures } from '../records/departures.ts';
import { KeyUses } from './key-uses.ts';
import type { GivenServices, Services } from './services.ts';

/** Adds the services that an app creates itself. */
export function completeServices(given: GivenServices, ready: () => boolean): Services {
  const { catalog, now, log } = given;
  return {
    newId: uuidv7,
    webhooks: { allowed: readNetworks('') },
    adminKeyName: actors.adminKey,
    metrics: takeSnapshot,
    build: {},
    ...given,
    ready,
    turns: createTurns(given.limits.atOnce, hashedAtOnce),
    passes: new Map(),
    audit: createAudit(catalog.audit, now, log),
    keyUses: new KeyUses(catalog),
    troubles: new TroubleLog(log),
    departures: new Departures(catalog, now),
    feeds: new Feeds(catalog, now),
  };
}
