import type { BlockList } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { digest } from '../../access/secret.ts';
import type { SignInLimit } from '../../access/sign-in-limit.ts';
import type { Backups } from '../../backups/backups.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createApp } from '../../http/app.ts';
import type { Log } from '../../log.ts';
import { readBase } from '../../mail/read-mail-flags.ts';
import type { Snapshot } from '../../metrics/snapshot.ts';
import type { CommandContext } from '../command.ts';
import { readLimits, readRateLimit } from '../serve-limits.ts';
import { readAdminKey, readMetricsKey } from './keys.ts';
import { openMails } from './mail.ts';
import { readSendOptions } from './send-options.ts';

/** Milliseconds that requests in flight get to finish when the server stops. */
export const drainTimeout = 10_000;
/** Milliseconds that aborted requests get to notice it. */
const aftermath = 1_000;

export interface AnswerOptions {
  readonly catalog: Catalog;
  readonly backups?: Backups;
  readonly log: Log;
  readonly signInLimit: SignInLimit;
  readonly proxies: BlockList;
  /** The metrics of all processes; the default is those of this one. */
  readonly metrics?: () => Promise<Snapshot>;
  readonly port: number;
  /** Whether other processes listen on the same port. */
  readonly shared: boolean;
}

export interface Answering {
  readonly port: number;
  /** Accepts no new requests, and lets those in flight finish within the drain timeout. */
  stop(): Promise<void>;
}

/** Serves requests over HTTP. */
export async function answerRequests(
  context: CommandContext,
  { catalog, backups, log, signInLimit, proxies, metrics, port, shared }: AnswerOptions,
): Promise<Answering> {
  const { flags, runtime } = context;
  const adminKey = readAdminKey(context);
  const metricsKey = readMetricsKey(context);
  const app = createApp({
    catalog,
    ...(backups && { backups }),
    log,
    now: Date.now,
    adminKeyDigest: adminKey === undefined ? undefined : digest(adminKey),
    metricsKeyDigest: metricsKey === undefined ? undefined : digest(metricsKey),
    ...(metrics && { metrics }),
    build: { version: context.version, runtime: runtime.name },
    signInLimit,
    mails: openMails(flags, catalog),
    publicUrl: readBase(flags.text('public-url')),
    proxies,
    webhooks: readSendOptions(context),
    rateLimit: readRateLimit(flags),
    limits: readLimits(flags),
  });
  const [host, longestWait] = [flags.text('host'), flags.number('query-timeout')];
  const listener = await runtime.listen({ host, port, shared, longestWait, fetch: app.fetch });
  return {
    port: listener.port,
    async stop() {
      app.retire();
      await sleep(flags.number('drain') * 1000);
      app.endStreams(); // first: streams do not end by themselves, and connections are refused best while nothing is going on
      await listener.refuse();
      const drained = app.drain();
      const stopped = listener.stop();
      if (await within(drainTimeout, Promise.all([drained, stopped]))) return;
      log.info('requests were still in flight after 10 s');
      listener.abandon();
      await within(aftermath, drained);
    },
  };
}

/** Whether the event happened within `ms` milliseconds. */
export function within(ms: number, event: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms);
    event.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
