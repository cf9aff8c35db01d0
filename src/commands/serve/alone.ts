import type { BlockList } from 'node:net';
import { SignInLimit } from '../../access/sign-in-limit.ts';
import type { Log } from '../../log.ts';
import type { Writers } from '../../store/engines/sqlite/writes/writers.ts';
import type { CommandContext } from '../command.ts';
import { answerRequests } from './answering.ts';
import { greet } from './greeting.ts';
import { measureProcess, measureStorage } from './measure.ts';
import { openBackups } from './open-backups.ts';
import { openCatalog } from './open-catalog.ts';
import { startJobs } from './start-jobs.ts';
import { stopJobs } from './stop-jobs.ts';
import { openStorage } from './storage.ts';
import { unusablePort } from './unusable-port.ts';

interface AloneOptions {
  readonly log: Log;
  readonly proxies: BlockList;
  /** Writes to the data directory; undefined for a database. */
  readonly writers: Writers | undefined;
}

/** Serves in this process, without workers. */
export async function serveAlone(
  context: CommandContext,
  { log, proxies, writers }: AloneOptions,
): Promise<number> {
  const { flags } = context;
  const catalog = await openCatalog(context, await openStorage(context, log, writers), log);
  const backups = openBackups(context, catalog, log);
  // Before the address is printed, as whoever reads it may stop the server at once.
  const stopped = new Promise<void>((stop) => context.onStop(stop));
  const answering = await answerRequests(context, {
    ...{ catalog, backups, log, proxies, signInLimit: new SignInLimit(catalog.failedSignIns) },
    ...{ port: flags.number('port'), shared: false },
  }).catch(async (error: unknown) => {
    await catalog.close();
    throw unusablePort(flags, error);
  });
  catalog.atRest(context.runtime.rest);
  measureProcess(catalog);
  measureStorage(catalog);
  const jobs = startJobs(context, catalog, backups, log);
  let ended = true;
  try {
    await greet(context, catalog, { port: answering.port, workers: 1 });
    await stopped;
  } finally {
    const answered = answering.stop();
    [ended] = await Promise.all([stopJobs(jobs, log), backups.close(answered), answered]);
    await catalog.close();
  }
  if (!ended) process.exit(0); // whatever it waits for would keep the process
  return 0;
}
