import type { BlockList } from 'node:net';
import { SignInLimit } from '../../access/sign-in-limit.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { createLog } from '../../log.ts';
import type { Parent } from '../../runtime/parent.ts';
import { joinMetrics } from '../../runtime/shared-metrics.ts';
import { remoteTries } from '../../runtime/sign-in-tries.ts';
import type { CommandContext } from '../command.ts';
import { reasonOf } from '../engine/reasons.ts';
import { answerRequests } from './answering.ts';
import { measureProcess } from './measure.ts';
import { openBackups } from './open-backups.ts';
import { messagesOver, type Order, type Report } from './orders.ts';
import { joinStorage } from './storage.ts';

export interface WorkerOptions {
  readonly parent: Parent;
  readonly number: number;
  readonly proxies: BlockList;
}

/** Serves as one of several processes: listens when the parent says so, and stops when it says so. */
export async function serveAsWorker(context: CommandContext, options: WorkerOptions): Promise<number> {
  const { parent } = options;
  const orders = messagesOver<Report, Order>(parent.wire.line('orders'));
  const { promise: toListen, resolve: listen } = Promise.withResolvers<number>();
  const { promise: toStop, resolve: stop } = Promise.withResolvers<void>();
  orders.onMessage((order) => (order.kind === 'listen' ? listen(order.port) : stop()));
  // A terminal, like many supervisors, sends these to the whole process group. The parent gets them too, and tells the workers
  // when to stop.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});

  try {
    const serving = await begin(context, options);
    orders.send({ kind: 'ready' });
    const port = await Promise.race([toListen, toStop]);
    const answering = port === undefined ? undefined : await serving.answer(port);
    if (answering) orders.send({ kind: 'listening', port: answering.port });
    await toStop;
    const answered = answering?.stop();
    await Promise.all([serving.backups.close(answered), answered]);
    await serving.catalog.close();
  } catch (error) {
    orders.send({ kind: 'failed', reason: reasonOf(error) });
    parent.leave(1);
    return 1;
  }
  parent.leave(0);
  return 0;
}

async function begin(context: CommandContext, { parent: { wire }, number, proxies }: WorkerOptions) {
  const { flags, err } = context;
  const log = createLog(err, flags.on('log-requests'), { worker: number });
  const engine = await joinStorage(context, wire.line('writes'), log);
  const catalog = new Catalog(engine, Date.now, flags.number('fields-limit'));
  const backups = openBackups(context, catalog, log);
  const signInLimit = new SignInLimit(catalog.failedSignIns, remoteTries(wire.line('sign-ins')));
  catalog.atRest(context.runtime.rest);
  measureProcess(catalog);
  const metrics = joinMetrics(wire.line('metrics'));
  return {
    catalog,
    backups,
    answer: (port: number) =>
      answerRequests(context, { catalog, backups, log, signInLimit, proxies, metrics, port, shared: true }),
  };
}
