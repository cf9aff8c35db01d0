import type { TestApp } from '../harness.ts';

export interface Event {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Record<string, unknown> | undefined;
  readonly retry: string | undefined;
}

/** A stream of server-sent events, as a client reads it. */
export interface Events {
  readonly status: number;
  readonly headers: Headers;
  /** All events so far. */
  readonly seen: Event[];
  /** The last id that was told. */
  readonly lastId: string | undefined;
  /** Waits for the first event that it is true of, from those that were not given before. */
  next(wanted?: (event: Event) => boolean): Promise<Event>;
  /** Resolves with the first id that is told: from then on it follows. */
  readonly started: Promise<void>;
  /** Resolves when the server has ended it. */
  readonly over: Promise<void>;
  close(): Promise<void>;
}

export interface FollowOptions {
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
}

export async function followEvents(
  app: Pick<TestApp, 'fetch'>,
  path: string,
  { token, headers = {} }: FollowOptions = {},
): Promise<Events> {
  const response = await app.fetch(
    new Request(`http://vitrine.test${path}`, {
      headers: {
        accept: 'text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    }),
  );
  return readEvents(response);
}

export function readEvents(response: Response): Events {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const seen: Event[] = [];
  let given = 0;
  let ended = false;
  let lastId: string | undefined;
  let changed = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const over = (async () => {
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done) break;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parse(block);
        if (event.id !== undefined) {
          lastId = event.id;
          started.resolve();
        }
        if (event.data !== undefined || event.retry !== undefined) seen.push(event);
      }
      changed.resolve();
      changed = Promise.withResolvers();
    }
    ended = true;
    changed.resolve();
  })();
  return {
    status: response.status,
    headers: response.headers,
    seen,
    get lastId() {
      return lastId;
    },
    started: started.promise,
    over,
    async next(wanted = () => true) {
      for (;;) {
        while (given < seen.length) {
          const event = seen[given++];
          if (event && wanted(event)) return event;
        }
        if (ended) throw new Error('the stream has ended');
        await changed.promise;
      }
    },
    async close() {
      await reader.cancel();
    },
  };
}

/** The records that a stream told of, in order, up to this one. */
export async function toldUntil(stream: Events, last: string): Promise<string[]> {
  const told: string[] = [];
  while (told.at(-1) !== last) {
    const { data } = await stream.next();
    if (data?._id !== undefined) told.push(String(data._id));
  }
  return told;
}

function parse(block: string): Event {
  const lines = block.split('\n').map((line) => {
    const end = line.indexOf(': ');
    return end < 0 ? ['', line] : [line.slice(0, end), line.slice(end + 2)];
  });
  const fields = new Map(lines as [string, string][]);
  const data = fields.get('data');
  return {
    id: fields.get('id'),
    event: fields.get('event') ?? 'message',
    data: data === undefined ? undefined : JSON.parse(data),
    retry: fields.get('retry'),
  };
}
