import { type DatabaseProxy, startProxy } from './proxy.ts';

/** Breaks some connections at the worst moment: during a commit. */
export interface LossyProxy extends DatabaseProxy {
  /** How many commits were done whose answer was lost, and how many never arrived. */
  readonly broken: { done: number; undone: number };
  /** Until then, and after it, all arrives. */
  breaking(on: boolean): void;
}

const commit = Buffer.from('COMMIT\0');

/** Of so many commits one is done without an answer, and another is not done. */
export async function startLossyProxy(database: string, every: number): Promise<LossyProxy> {
  const broken = { done: 0, undone: 0 };
  let commits = 0;
  let breaking = false;
  const proxy = await startProxy(database, (client, beyond, end) => {
    let last = false;
    client.on('data', (part) => {
      const turn = breaking && part.includes(commit) ? ++commits % every : -1;
      if (turn === 1) {
        broken.undone += 1;
        return end();
      }
      last ||= turn === 0;
      beyond.write(part);
    });
    beyond.on('data', (part) => {
      if (!last) return client.write(part);
      broken.done += 1;
      end();
    });
  });
  return {
    ...proxy,
    broken,
    breaking(on) {
      breaking = on;
    },
  };
}
