import type { Log } from '../../log.ts';
import type { WorkerProcess } from '../../runtime/worker-process.ts';
import { CommandFailure } from '../command.ts';
import { drainTimeout } from './answering.ts';
import { type MessageLink, messagesOver, type Order, type Report } from './orders.ts';

/** Failed starts in a row after which no other worker is started. */
const mostInVain = 5;
/** A worker that exits sooner after it began to listen also counts as failed, so that the next is started after a pause. */
const shortLife = 1_000;
const firstPause = 100;
const longestPause = 5_000;
/** Milliseconds that a worker gets beyond its drain timeout. */
const grace = 2_000;

interface Worker {
  readonly number: number;
  readonly process: WorkerProcess;
  readonly link: MessageLink<Order, Report>;
  /** ready: it waits for a port. finding: it is choosing a free one. */
  state: 'starting' | 'ready' | 'finding' | 'listening';
  /** When it began to listen. */
  since: number;
  /** Why it failed. */
  reason: string;
}

export interface WorkerPoolOptions {
  readonly count: number;
  readonly log: Log;
  /** Milliseconds for which each worker goes on listening after the order to stop. */
  readonly drain: number;
  /** Starts the worker with this number, and connects it. */
  start(number: number): WorkerProcess;
}

/** Keeps `count` workers running. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #running = new Map<number, Worker>();
  readonly #pauses = new Set<ReturnType<typeof setTimeout>>();
  readonly #begun = Promise.withResolvers<number>();
  readonly #failed = Promise.withResolvers<never>();
  /** undefined: workers must not listen yet. */
  #port: number | undefined;
  #stopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#failed.promise.catch(() => {}); // reported by `failed`
    for (let number = 1; number <= options.count; number++) this.#start(number, 0);
  }

  /** Rejects when workers can't be started any more. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** Makes all workers listen on a port (0: a free one), and resolves with it when they do. */
  listen(port: number): Promise<number> {
    this.#port = port;
    this.#assignPort();
    return this.#begun.promise;
  }

  /** Resolves when the workers have finished their requests and exited. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    const workers = [...this.#running.values()];
    for (const { link } of workers) link.send({ kind: 'stop' });
    const late = setTimeout(
      () => {
        for (const worker of workers) worker.process.kill();
      },
      this.#options.drain + drainTimeout + grace,
    );
    await Promise.all(workers.map((worker) => worker.process.over));
    clearTimeout(late);
  }

  /** `inVain`: how many starts in a row failed before. */
  #start(number: number, inVain: number): void {
    const process = this.#options.start(number);
    const link = messagesOver<Order, Report>(process.wire.line('orders'));
    const worker: Worker = { number, process, link, state: 'starting', since: 0, reason: '' };
    this.#running.set(number, worker);
    link.onMessage((report) => this.#receive(worker, report));
    void process.over.then((how) => this.#ended(worker, how, inVain));
  }

  #receive(worker: Worker, report: Report): void {
    switch (report.kind) {
      case 'ready':
        worker.state = 'ready';
        if (this.#stopping) worker.link.send({ kind: 'stop' });
        else this.#assignPort();
        return;
      case 'listening':
        worker.state = 'listening';
        worker.since = performance.now();
        this.#port = report.port;
        this.#assignPort();
        if (this.#all('listening')) this.#begun.resolve(report.port);
        return;
      case 'failed':
        worker.reason = `: ${report.reason}`;
        return;
    }
  }

  /** For port 0, one worker listens on a free port first, and the others join it: no other program can take it meanwhile. */
  #assignPort(): void {
    const workers = [...this.#running.values()];
    for (const worker of workers) {
      if (this.#port === undefined || workers.some(({ state }) => state === 'finding')) return;
      if (worker.state !== 'ready') continue;
      worker.state = this.#port === 0 ? 'finding' : 'starting';
      worker.link.send({ kind: 'listen', port: this.#port });
    }
  }

  #all(state: Worker['state']): boolean {
    const workers = [...this.#running.values()];
    return workers.length === this.#options.count && workers.every((worker) => worker.state === state);
  }

  #ended(worker: Worker, how: string, before: number): void {
    const { number, process, state, reason } = worker;
    this.#running.delete(number);
    if (this.#stopping) return;
    const listened = state === 'listening';
    const inVain = listened && performance.now() - worker.since > shortLife ? 0 : before + 1;
    const ending = `worker ${number} (process ${process.pid}) ${how}${reason}`;
    if (!listened && inVain >= mostInVain) {
      this.#failed.reject(new CommandFailure(`${ending}; ${inVain} times in a row: giving up`));
      return;
    }
    this.#options.log.info(`${ending}; another is started`);
    this.#later(inVain === 0 ? 0 : firstPause * 2 ** (inVain - 1), () => this.#start(number, inVain));
    this.#assignPort();
  }

  #later(pause: number, work: () => void): void {
    const timer = setTimeout(
      () => {
        this.#pauses.delete(timer);
        work();
      },
      Math.min(pause, longestPause),
    );
    this.#pauses.add(timer);
  }
}
