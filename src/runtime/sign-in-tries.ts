import { type SignInTries, tooManyFailures } from '../access/sign-in-limit.ts';
import type { Channel } from '../channel.ts';
import { Failure } from '../failure.ts';

/** From a worker: a sign-in attempt begins, or has ended. */
type Message =
  | { readonly n: number; readonly who: string; readonly now: number }
  | { readonly n: number; readonly failed: boolean };

/** To the worker: the attempt with that number may proceed, or is refused for `retryAfter` seconds. */
interface Answer {
  readonly n: number;
  readonly retryAfter?: number | undefined;
}

type End = (failed: boolean) => void;

/** Sign-in attempts that are counted at the other end of a channel. */
export function remoteTries(channel: Channel): SignInTries {
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  channel.listen(
    (text) => {
      const answer = JSON.parse(text) as Answer;
      waiting.get(answer.n)?.(answer);
      waiting.delete(answer.n);
    },
    () => {}, // without its parent this process ends, and what waits with it
  );
  const send = (message: Message) => channel.post(JSON.stringify(message));
  return {
    async begin(who, now) {
      last += 1;
      const n = last;
      const { retryAfter } = await new Promise<Answer>((resolve) => {
        waiting.set(n, resolve);
        send({ n, who, now });
      });
      if (retryAfter !== undefined) throw tooManyFailures(retryAfter);
      return (failed) => send({ n, failed });
    },
  };
}

/** Counts the attempts of the process at the other end of a channel. */
export function serveTries(tries: SignInTries, channel: Channel): void {
  const underWay = new Map<number, End>();
  let gone = false;

  async function begin(n: number, who: string, now: number): Promise<void> {
    try {
      const end = await tries.begin(who, now);
      if (gone) return end(false);
      underWay.set(n, end);
      channel.post(JSON.stringify({ n } satisfies Answer));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      channel.post(JSON.stringify({ n, retryAfter: error.detail.retryAfter } satisfies Answer));
    }
  }

  channel.listen(
    (text) => {
      const message = JSON.parse(text) as Message;
      if ('who' in message) return void begin(message.n, message.who, message.now);
      underWay.get(message.n)?.(message.failed);
      underWay.delete(message.n);
    },
    () => {
      gone = true;
      for (const end of underWay.values()) end(false);
    },
  );
}
