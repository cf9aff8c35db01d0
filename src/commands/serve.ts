import type { BlockList } from 'node:net';
import { availableParallelism } from 'node:os';
import { readNetworks } from '../access/networks.ts';
import { createLog, type Log } from '../log.ts';
import { findParent, sharesPorts } from '../runtime/parent.ts';
import { startWriterThread, type WriterThread } from '../runtime/writers.ts';
import { limitAnswers } from '../store/sizes.ts';
import type { Command, CommandContext } from './command.ts';
import { longestTime, poolFlags } from './engine/database.ts';
import { placeFlags, readServerPlace } from './engine/place.ts';
import { reasonOf } from './engine/reasons.ts';
import { UsageError } from './flags.ts';
import { readAdminKey, readMetricsKey } from './serve/keys.ts';
import { mailFlags, readMail } from './serve/mail.ts';
import { backupFlags, readBackupEvery, readBackupPlace } from './serve/open-backups.ts';
import { workerMark } from './serve/orders.ts';
import { readSendOptions } from './serve/send-options.ts';
import { limitFlags } from './serve-limits.ts';

const mostWorkers = 256;
/** Seconds: a day. */
const longestDrain = 86_400;

export const serve: Command = {
  summary: 'Serves the projects in a data directory, or in a PostgreSQL, over HTTP',
  usage: ' [flags]',
  flags: {
    host: { kind: 'text', summary: 'The address to listen on', fallback: '127.0.0.1' },
    port: { kind: 'number', summary: 'The port to listen on', fallback: '8090' },
    ...placeFlags,
    demo: { kind: 'switch', summary: 'Makes a project demo with sample records if there is no project' },
    workers: { kind: 'text', summary: 'How many processes serve; auto: one for each core', fallback: '1' },
    ...poolFlags,
    readers: {
      kind: 'number',
      summary: 'Threads of a process for reads whose cost grows with a collection, in a data directory',
      fallback: '2',
    },
    'query-timeout': {
      kind: 'number',
      summary: 'Milliseconds after which such a read is ended with 504',
      fallback: '10000',
      least: 1,
      most: longestTime,
    },
    'webhook-allow': {
      kind: 'text',
      summary:
        'Addresses that are not public to which webhooks may go nevertheless: addresses or networks, with commas',
    },
    'trust-proxy': {
      kind: 'text',
      summary: 'Proxies whose X-Forwarded-For is believed: addresses or networks, with commas',
    },
    drain: {
      kind: 'number',
      summary: 'Seconds between SIGTERM and the end of listening, in which /readyz is 503 already',
      fallback: '0',
      most: longestDrain,
    },
    'metrics-key': {
      kind: 'text',
      summary: 'A Bearer token that reads /metrics and nothing else',
    },
    ...mailFlags,
    'log-requests': { kind: 'switch', summary: 'Logs a line for every request' },
    ...backupFlags,
    ...limitFlags,
  },
  run,
};

const highestPort = 65_535;

async function run(context: CommandContext): Promise<number> {
  const { flags, environment } = context;
  const count = readWorkers(flags.text('workers'));
  const proxies = trustedProxies(flags.text('trust-proxy'));
  if (flags.number('port') > highestPort)
    throw new UsageError(`--port must be a number from 0 to ${highestPort}, not '${flags.text('port')}'`);
  readBackupEvery(flags);
  readBackupPlace(context);
  const place = readServerPlace(flags); // flags are checked before anything is started
  readSendOptions(context);
  readAdminKey(context);
  readMetricsKey(context);
  readMail(flags);
  limitAnswers(flags.number('answer-limit'));
  const number = environment[workerMark];
  const parent = number === undefined ? undefined : findParent();
  if (parent) {
    const { serveAsWorker } = await import('./serve/worker.ts');
    return serveAsWorker(context, { parent, number: Number(number), proxies });
  }
  if (count === 1) {
    const log = createLog(context.err, flags.on('log-requests'));
    // Started first: it takes as long to start as the rest of the server takes to load.
    const writers = place.kind === 'directory' ? startWriters(log) : undefined;
    const { serveAlone } = await import('./serve/alone.ts');
    return serveAlone(context, { log, proxies, writers });
  }
  const { serveByWorkers } = await import('./serve/parent.ts');
  return serveByWorkers(context, count);
}

/** The writer thread of a server without workers, so that commits to disk do not block the thread that serves requests. */
function startWriters(log: Log): WriterThread {
  return startWriterThread({
    failed(error) {
      log.error('the thread that writes failed', error);
      process.exit(1);
    },
  });
}

function readWorkers(text: string): number {
  if (text === 'auto') return sharesPorts ? Math.min(availableParallelism(), mostWorkers) : 1;
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > mostWorkers)
    throw new UsageError(`--workers must be auto or a number from 1 to ${mostWorkers}, not '${text}'`);
  if (count > 1 && !sharesPorts)
    throw new UsageError('--workers can only be 1 here: several processes at one port need Linux');
  return count;
}

function trustedProxies(text: string): BlockList {
  try {
    return readNetworks(text);
  } catch (error) {
    throw new UsageError(`--trust-proxy: ${reasonOf(error)}`);
  }
}
