import { inSteps } from '../../../../awaitable.ts';
import { type Channel, Outbox } from '../../../../channel.ts';
import { Failure } from '../../../../failure.ts';
import type { Progress } from '../../../schema-plans.ts';
import {
  type Ask,
  type FileCall,
  type Reply,
  readReply,
  reviveError,
  writeAsk,
  writeBatchAsk,
} from './messages.ts';
import type { ProjectWrites, Writers } from './writers.ts';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
  progress: Progress | undefined;
}

/** Requests sent at a time: the writer starts on them while the next ones are still being read. */
const mostAsks = 16;

/** Writers at the other end of a channel. */
export function remoteWriters(channel: Channel): Writers {
  const waiting = new Map<number, Waiting>();
  const outbox = new Outbox(channel, setImmediate, mostAsks);
  let last = 0;
  let ended = false;

  channel.listen(
    (text) => {
      for (const line of text.split('\n')) settle(readReply(line));
    },
    () => {
      ended = true;
      for (const { reject } of waiting.values()) reject(writerLost());
      waiting.clear();
    },
  );

  function settle({ n, answer, error, progress }: Reply): void {
    const asked = waiting.get(n);
    if (progress) {
      asked?.progress?.(...progress);
      return;
    }
    waiting.delete(n);
    if (error) asked?.reject(reviveError(error));
    else asked?.resolve(answer);
  }

  function ask(make: (n: number) => Ask, progress?: Progress): Promise<unknown> {
    if (ended) return Promise.reject(noWriter());
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    last += 1;
    waiting.set(last, { resolve, reject, progress });
    const asked = make(last);
    if (asked.call !== 'batch') outbox.add(writeAsk(asked));
    else void inSteps(writeBatchAsk(asked)).then((text) => outbox.add(text), reject);
    return promise;
  }

  /** Each growth of the log arrives as progress of this one request, which is answered when the watch ends. */
  function watch(opened: number, changed: () => void): () => void {
    let asked = 0;
    const make = (n: number): Ask => {
      asked = n;
      return { n, call: 'watch', opened };
    };
    ask(make, changed).catch(() => {}); // the writer is gone, and soon this process too
    return () => void ask((n) => ({ n, call: 'unwatch', opened, plan: asked })).catch(() => {});
  }

  function use(opened: number): ProjectWrites {
    return {
      watch: (changed) => watch(opened, changed),
      perform: (call, plan, progress) => ask((n) => ({ n, call, opened, plan }), progress) as Promise<never>,
      load: () => Promise.reject(new Error('records are loaded where the writer is')),
      close: async () => void (await ask((n) => ({ n, call: 'close', opened }))),
    };
  }

  const aboutFile = (call: FileCall) => async (path: string, token: string) =>
    void (await ask((n) => ({ n, call, path, token })));

  return {
    draft: aboutFile('draft'),
    place: aboutFile('place'),
    replace: aboutFile('replace'),
    discard: aboutFile('discard'),
    seal: async (path, token) => Number(await ask((n) => ({ n, call: 'seal', path, token }))),
    unseal: aboutFile('unseal'),
    remove: aboutFile('remove'),
    sweep: async (path) => void (await ask((n) => ({ n, call: 'sweep', path }))),
    open: async (path) => use(Number(await ask((n) => ({ n, call: 'open', path })))),
    settled: async () => void (await ask((n) => ({ n, call: 'settled', path: '' }))),
    restore: () => Promise.reject(new Error('projects are restored where the writer is')),
    async close() {
      outbox.flush();
      await channel.close();
    },
  };
}

/** Nobody can say whether what was under way has happened. */
function writerLost(): Failure {
  return new Failure(
    'unavailable',
    'It is not known whether this was saved, as the writing process ended: check before you send it again',
  );
}

function noWriter(): Failure {
  return new Failure('unavailable', "The database can't be written right now: try again", {
    retryAfter: 1,
  });
}
