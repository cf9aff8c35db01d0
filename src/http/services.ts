import type { BlockList } from 'node:net';
import type { RateLimit } from '../access/rate-limit.ts';
import type { SignInLimit } from '../access/sign-in-limit.ts';
import type { AtOnce, TurnsOfKinds } from '../access/turns.ts';
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

/** Everything that request handlers use. */
export interface Services {
  readonly catalog: Catalog;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The id of a new record: a UUIDv7. */
  readonly newId: () => string;
  /** The digest of VITRINE_ADMIN_KEY. */
  readonly adminKeyDigest: string | undefined;
  /** The name of that key's holder in the audit. */
  readonly adminKeyName: string;
  readonly signInLimit: SignInLimit;
  /** The rate limit of the record API; undefined: unlimited. */
  readonly rateLimit: RateLimit | undefined;
  readonly proxies: BlockList;
  /** How webhooks are sent. */
  readonly webhooks: SendOptions;
  readonly limits: Limits;
  /** undefined: this process makes no backups. */
  readonly backups?: Backups | undefined;
  /** Tokens that the app made for requests that brought a ticket, with who made the ticket: valid for that request only. */
  readonly passes: Map<string, string>;
  readonly keyUses: KeyUses;
  readonly troubles: TroubleLog;
  /** The followers of changes. */
  readonly feeds: Feeds;
  /** False once the server is stopping. */
  readonly ready: () => boolean;
  readonly audit: Audit;
  /** The metrics of this server with all of its workers. */
  readonly metrics: () => Promise<Snapshot>;
  /** The digest of --metrics-key. */
  readonly metricsKeyDigest?: string | undefined;
  /** The version and the like, for the metrics. */
  readonly build: Readonly<Record<string, string>>;
  /** The public URL of this server, without a trailing slash; undefined: not configured. */
  readonly publicUrl?: string | undefined;
  /** undefined: this server sends no mail. */
  readonly mails?: Mails | undefined;
  readonly departures: Departures;
  /** Limits for expensive work. */
  readonly turns: TurnsOfKinds;
}

type Optional = 'newId' | 'adminKeyName' | 'metrics' | 'build' | 'webhooks';

/** The services that an app is given; it creates the rest itself. */
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
  readonly atOnce: AtOnce;
}

/** Twice the size of a body, as Updates can add to a record. */
export const recordBytes = ({ limits }: Pick<Services, 'limits'>) => 2 * limits.body.bytes;

export const defaultLimits: Limits = {
  body: { bytes: 1024 * 1024, depth: 32, timeout: 30_000 },
  batchBody: { bytes: 16 * 1024 * 1024, depth: 32, timeout: 60_000 },
  records: { perPage: 1_000, batchOperations: 1_000, batchWork: 20 * 1024 * 1024 },
  url: 16 * 1024,
  atOnce: { reads: 4, exports: 2, passwords: 4, streams: 50 },
};
