import { VitrineError } from './error.ts';
import { queryString } from './query.ts';
import { type CallOptions, noAnswer, notOurs, pause, type Send } from './transport.ts';

/**
 * A record as it is now: of several changes of one record only the last is given. `refetch`: read this collection again.
 * `reset`: read everything again, as the feed does not reach back far enough.
 */
export type Change<R> = Held<'create', R> | Held<'update', R> | Gone | Anew<'refetch'> | Anew<'reset'>;

interface Held<Kind, R> extends Place {
  readonly kind: Kind;
  readonly _id: string;
  readonly record: R;
}
interface Gone extends Place {
  readonly kind: 'delete';
  readonly _id: string;
  readonly record: null;
}
interface Anew<Kind> extends Place {
  readonly kind: Kind;
  readonly _id: null;
  readonly record: null;
}

interface Place {
  /** Empty where the kind is `reset`. */
  readonly collection: string;
  readonly at: string;
  readonly position: string;
  /** Store it once the change is handled: `changes({ after: next })` resumes from there. */
  readonly next: string;
}

export interface ChangesOptions extends CallOptions {
  /** A `next` or a `position()`; '' for the oldest that is kept; without it, from now on. */
  readonly after?: string | undefined;
}

type AnyChange = Change<object>;
type Options = ChangesOptions & Readonly<Record<string, unknown>>;

export interface Feed {
  changes(options?: Options): AsyncIterable<AnyChange>;
  position(options?: CallOptions): Promise<string>;
}

/** Milliseconds of silence after which a connection counts as lost; the server sends a heartbeat every 20 seconds. */
const longestSilence = 60_000;
/** The longest pause between two attempts to reconnect, in seconds. */
const longestPause = 30;
/** Milliseconds for which the client polls after a stream that stayed silent, and seconds that each poll waits for a change. */
const [polling, pageWait] = [300_000, 20];

interface Page {
  readonly next: string;
  readonly upToDate: boolean;
  readonly changes: readonly AnyChange[];
}

/** `patience`: milliseconds within which a stream must send something. One that a proxy buffers never does. */
export function changeFeed(send: Send, path: string, patience = 5_000): Feed {
  const position = async ({ signal }: CallOptions = {}, query: object = {}) => {
    const at = `${path}/_changes${queryString({ ...query, after: 'now' })}`;
    return (await send<{ next: string }>('GET', at, { signal })).next;
  };

  async function* changes({ after, signal, ...query }: Options = {}): AsyncGenerator<AnyChange> {
    // The position is fetched before the stream begins, so nothing is missed if the stream breaks off before its first event.
    let next = after ?? (await position({ signal }, query));
    let lost = false;
    for (let failed = 0, wait = 0, polled = 0; ; ) {
      const stop = new AbortController();
      const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      const headers = { accept: 'text/event-stream' };
      const at = (more: object) => `${path}/_changes${queryString({ ...query, after: next, ...more })}`;
      let timer: ReturnType<typeof setTimeout> | undefined;
      try {
        if (lost) {
          next = await position({ signal: both }, query);
          lost = false;
          yield reset(next);
        }
        if (polled > Date.now()) {
          timer = setTimeout(() => stop.abort(noAnswer('the feed', 'it fell silent')), longestSilence);
          const page = await send<Page>('GET', at({ wait: pageWait }), { signal: both });
          clearTimeout(timer);
          failed = 0;
          for (const change of page.changes) {
            signal?.throwIfAborted();
            next = change.position;
            yield { ...change, next };
          }
          next = page.next;
          if (!page.upToDate) continue;
        } else {
          timer = setTimeout(() => {
            polled = Date.now() + polling;
            stop.abort(noAnswer('the stream', 'it gave no sign'));
          }, patience);
          const response = await send('GET', at({}), { headers, signal: both }, streamOf);
          failed = 0;
          for await (const { id, event, data } of events(response, stop, () => clearTimeout(timer))) {
            signal?.throwIfAborted();
            if (id !== undefined) next = id;
            if (event === 'end') break;
            if (event === 'reset') yield reset(next);
            else if (data) yield { ...(JSON.parse(data) as AnyChange), next };
          }
        }
        wait = 0;
      } catch (error) {
        signal?.throwIfAborted();
        const { status, retryAfter, cause } = error instanceof VitrineError ? error : noAnswer('', error);
        if (status === 410) lost = true;
        // What is not of the server may be of a proxy that has lost sight of it for a moment.
        else if (status >= 400 && status < 500 && status !== 429 && cause === undefined) throw error;
        failed += 1;
        wait = retryAfter ?? 0;
      } finally {
        clearTimeout(timer);
        stop.abort();
      }
      await pause(wait || Math.min(longestPause, 2 ** failed / 2), signal);
    }
  }

  return { changes, position };
}

const reset = (next: string): AnyChange => ({
  kind: 'reset',
  collection: '',
  _id: null,
  record: null,
  at: new Date().toISOString(),
  position: next,
  next,
});

function streamOf(response: Response): Response {
  if (/event-stream/.test(response.headers.get('content-type') ?? '')) return response;
  throw notOurs(response.status);
}

interface ServerEvent {
  id?: string;
  event?: string;
  data?: string;
}

/** The events of a stream, as they come; it ends where the stream does. */
async function* events(
  { body }: Response,
  stop: AbortController,
  begun: () => void,
): AsyncGenerator<ServerEvent> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const timer = setTimeout(() => stop.abort(noAnswer('the stream', 'it fell silent')), longestSilence);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    begun();
    text += value;
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event: ServerEvent = {};
      for (const line of block.split(/\r?\n/)) {
        const [, name, rest = ''] = /^(id|event|data): ?(.*)$/s.exec(line) ?? [];
        if (name === 'data') event.data = event.data === undefined ? rest : `${event.data}\n${rest}`;
        else if (name) event[name as 'id' | 'event'] = rest;
      }
      yield event;
    }
  }
}
