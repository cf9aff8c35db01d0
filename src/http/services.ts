import type { BlockList } from 'node:net';
import type { RateLimit } from '../access/rate-limit.ts';
import type { SignInLimit } from '../access/sign-in-limit.ts';
import type { TurnsOfKinds } from '../access/turns.ts';
import type { Audit } from '../audit/audit.ts';
import type { Backups } from '../backups/backups.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Feeds } from '../changes/project-feeds.ts';
import type { TroubleLog } from '../jobs/trouble-log.ts';
import type { Log } from '../log.ts';
import type { Mails } from '../mail/mails.ts';
import type { Snapshot } from '../metrics/snapshot.ts';
import type { RecordLimits } from '../records/ask.ts';
import type { Departures } from '../records/departures.ts';
import type { SendOptions } from '../webhooks/send.ts';
import type { BodyLimits } from './body.ts';
import type { KeyUses } from './key-uses.ts';

/** What the HTTP side works with. */
export interface Services {
  readonly catalog: Catalog;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Of a new record: a UUIDv7. */
  readonly newId: () => string;
  /** Of VITRINE_ADMIN_KEY. */
  readonly adminKeyDigest: string | undefined;
  /** Who holds that key, as the audit names them. */
  readonly adminKeyName: string;
  readonly signInLimit: SignInLimit;
  /** Of the record API; undefined: there is none. */
  readonly rateLimit: RateLimit | undefined;
  readonly proxies: BlockList;
  /** How webhooks are sent. */
  readonly webhooks: SendOptions;
  readonly limits: Limits;
  /** undefined: whoever runs this makes none. */
  readonly backups?: Backups | undefined;
  /** Tokens that the app made for requests that brought a ticket, with who made the ticket: valid for that request only. */
  readonly passes: Map<string, string>;
  readonly keyUses: KeyUses;
  readonly troubles: TroubleLog;
  /** Whoever follows changes. */
  readonly feeds: Feeds;
  /** False once the server is stopping. */
  readonly ready: () => boolean;
  readonly audit: Audit;
  /** The numbers of this server, with all of its workers. */
  readonly metrics: () => Promise<Snapshot>;
  /** Of --metrics-key. */
  readonly metricsKeyDigest?: string | undefined;
  /** Which Vitrine this is, for the metrics. */
  readonly build: Readonly<Record<string, string>>;
  /** Where people reach this server, without a slash at the end; undefined: nobody said. */
  readonly publicUrl?: string | undefined;
  /** undefined: this server sends no mail. */
  readonly mails?: Mails | undefined;
  readonly departures: Departures;
  /** For what is expensive. */
  readonly turns: TurnsOfKinds;
}

type Optional = 'newId' | 'adminKeyName' | 'metrics' | 'build' | 'webhooks';

/** What an app is made with; the rest is its own. */
export type GivenServices = Omit<
  Services,
  'passes' | 'keyUses' | 'troubles' | 'feeds' | 'ready' | 'turns' | 'audit' | 'departures' | Optional
> &
  Partial<Pick<Services, Optional>>;

export interface Limits {
  readonly body: BodyLimits;
  readonly batchBody: BodyLimits;
  readonly records: RecordLimits;
  /** Characters of path and query. */
  readonly url: number;
}

/** Twice a body: what an Update adds to a record must find room. */
export const recordBytes = ({ limits }: Pick<Services, 'limits'>) => 2 * limits.body.bytes;

export const defaultLimits: Limits = {
  body: { bytes: 1024 * 1024, depth: 32, timeout: 30_000 },
  batchBody: { bytes: 16 * 1024 * 1024, depth: 32, timeout: 60_000 },
  records: { perPage: 1_000, batchOperations: 1_000, batchWork: 20 * 1024 * 1024 },
  url: 16 * 1024,
};
