import type { Log } from '../../log.ts';
import type { WorkerProcess } from '../../runtime/worker-process.ts';
import { CommandFailure } from '../command.ts';
import { drainTimeout } from './answering.ts';
import { type MessageLink, messagesOver, type Order, type Report } from './orders.ts';

/** How often in a row a worker may end in vain, before no other is tried. */
const mostInVain = 5;
/** One that ends sooner after it began to listen was in vain too: the next is not started at once. */
const shortLife = 1_000;
const firstPause = 100;
const longestPause = 5_000;
/** Beyond the time that a worker gives its requests. */
const grace = 2_000;

interface Worker {
  readonly number: number;
  readonly process: WorkerProcess;
  readonly link: MessageLink<Order, Report>;
  /** ready: it waits for a port. finding: it is choosing a free one. */
  state: 'starting' | 'ready' | 'finding' | 'listening';
  /** When it began to listen. */
  since: number;
  /** Why it could not. */
  reason: string;
}

export interface WorkerPoolOptions {
  readonly count: number;
  readonly log: Log;
  /** Milliseconds that each goes on listening after the order to stop. */
  readonly drain: number;
  /** Starts the worker of this number, connected with all that it needs. */
  start(number: number): WorkerProcess;
}

/** Keeps so many workers running. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #running = new Map<number, Worker>();
  readonly #pauses = new Set<ReturnType<typeof setTimeout>>();
  readonly #begun = Promise.withResolvers<number>();
  readonly #failed = Promise.withResolvers<never>();
  /** undefined: it is too early to listen. */
  #port: number | undefined;
  #stopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#failed.promise.catch(() => {}); // reported by `failed`
    for (let number = 1; number <= options.count; number++) this.#start(number, 0);
  }

  /** Fails when workers can't be started any more. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** Has all of them listen on a port, with 0 on one that is free, and gives it once they do. */
  listen(port: number): Promise<number> {
    this.#port = port;
    this.#assignPort();
    return this.#begun.promise;
  }

  /** Once the workers have answered what they had in flight, and ended. */
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

  /** `inVain`: how many were before it, in a row. */
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

  /** Where any free port will do, one of the workers finds it for all: nobody else can take it in between. */
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
