import { CountedTries } from '../../access/sign-in-limit.ts';
import { createLog } from '../../log.ts';
import { WorkerMetrics } from '../../runtime/shared-metrics.ts';
import { serveTries } from '../../runtime/sign-in-tries.ts';
import { startWorker } from '../../runtime/worker-process.ts';
import type { CommandContext } from '../command.ts';
import { greet } from './greeting.ts';
import { measureProcess, measureStorage } from './measure.ts';
import { openBackups } from './open-backups.ts';
import { openCatalog } from './open-catalog.ts';
import { workerMark } from './orders.ts';
import { startJobs } from './start-jobs.ts';
import { stopJobs } from './stop-jobs.ts';
import { shareStorage } from './storage.ts';
import { unusablePort } from './unusable-port.ts';
import { WorkerPool } from './worker-pool.ts';

/** Serves with `count` worker processes; this one serves no requests, but does for all what only one process can do. */
export async function serveByWorkers(context: CommandContext, count: number): Promise<number> {
  const { flags, err } = context;
  const log = createLog(err, false);
  const storage = await shareStorage(context, log);
  const catalog = await openCatalog(context, storage.engine, log);
  const backups = openBackups(context, catalog, log);
  try {
    await checkPort(context);
  } catch (error) {
    await catalog.close();
    throw unusablePort(flags, error);
  }
  const tries = new CountedTries();
  const metrics = new WorkerMetrics();
  if (storage.restsWith === 'catalog') catalog.atRest(context.runtime.rest);
  measureProcess(catalog);
  measureStorage(catalog);
  const workers = new WorkerPool({
    count,
    log,
    drain: flags.number('drain') * 1000,
    start(number) {
      const worker = startWorker(again(context, number));
      storage.connect(worker.wire.line('writes'));
      serveTries(tries, worker.wire.line('sign-ins'));
      metrics.connect(worker.wire.line('metrics'));
      return worker;
    },
  });
  const jobs = startJobs(context, catalog, backups, log);
  let ended = true;
  try {
    const stopped = new Promise<undefined>((stop) => context.onStop(() => stop(undefined)));
    const port = await Promise.race([workers.listen(flags.number('port')), workers.failed, stopped]);
    if (port !== undefined) {
      await greet(context, catalog, { port, workers: count });
      await Promise.race([stopped, workers.failed]);
    }
  } finally {
    [ended] = await Promise.all([stopJobs(jobs, log), backups.close(), workers.stop()]);
    await catalog.close();
  }
  if (!ended) process.exit(0); // whatever it waits for would keep the process
  return 0;
}

/** Workers share the port with each other, and would silently share it with another program that uses it already. */
async function checkPort({ flags, runtime }: CommandContext): Promise<void> {
  const port = flags.number('port');
  if (port === 0) return;
  const fetch = () => new Response(null, { status: 503 });
  const listener = await runtime.listen({ host: flags.text('host'), port, fetch });
  await listener.stop();
}

/** The same command again, with the variable that makes it a worker. */
function again({ program, environment }: CommandContext, number: number) {
  return { command: program, environment: { ...environment, [workerMark]: String(number) } };
}
