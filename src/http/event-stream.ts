import type { Release } from '../access/turns.ts';
import { tagOf } from '../changes/position.ts';
import { comeBack, idLine, type Sink, Stream } from '../changes/stream.ts';
import { countSent } from '../metrics/counted.ts';
import type { ChangesPlan } from '../store/changes.ts';
import { openHeaders } from './cors.ts';
import type { Follower } from './follower.ts';
import type { Services } from './services.ts';

/** Bytes that are buffered for the client; the rest stays in the log. */
const mostQueued = 16 * 1024;

const headers = {
  ...openHeaders,
  'content-type': 'text/event-stream',
  // Not to be cached, compressed or buffered on the way.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  // Without it @hono/node-server waits to see whether the body is short.
  'transfer-encoding': 'chunked',
};

const encoder = new TextEncoder();
const strategy = new ByteLengthQueuingStrategy({ highWaterMark: mostQueued });

/** Sends server-sent events until the client disconnects. */
export async function eventStream(
  { feeds, log }: Services,
  follower: Follower,
  signal: AbortSignal,
  release: Release,
): Promise<Response> {
  const { project, wanted, authority, expires, isGood } = follower;
  try {
    const { after, id } = await startOf(feeds, follower);
    const source = new Source(release);
    if (feeds.stopped.aborted) return retired(source, id);
    const stream = new Stream({
      ...{ feeds, project: project.id, cipher: project.cipher, wanted, authority, after },
      ...{ expires, isGood, sink: source },
      failed: (error) => log.error('a stream of changes failed', error),
    });
    source.stream = stream;
    const body = new ReadableStream(source, strategy);
    signal.addEventListener('abort', () => source.cancel(), { once: true });
    if (signal.aborted) source.cancel(); // it left while the newest position was looked up
    return new Response(body, { headers });
  } catch (error) {
    release();
    throw error;
  }
}

/** `id`: the current position, for a client that starts with `now` and does not know it. */
async function startOf(
  feeds: Services['feeds'],
  { project, wanted, after }: Follower,
): Promise<{ readonly after: ChangesPlan['after']; readonly id?: string }> {
  if (after !== 'now') return { after };
  const { next, cipher } = await feeds.newest(project.id);
  return { after: next, id: idLine(cipher, next, tagOf(wanted.caller)) };
}

/**
 * For a server that stops. An EventSource gives up after a refusal, but reconnects after a stream that has ended. Without the
 * id it would miss what happens until then.
 */
function retired(source: Source, id: string | undefined): Response {
  const body = new ReadableStream(source, strategy);
  source.write(id === undefined ? comeBack() : `${id}\n${comeBack()}`);
  source.close();
  return new Response(body, { headers });
}

/** The body of the response, to which the stream writes. */
class Source implements UnderlyingDefaultSource<Uint8Array>, Sink {
  stream: Stream | undefined;
  readonly #release: Release;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(release: Release) {
    this.#release = release;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.write(': \n\n'); // so that the client sees at once that the stream is open
    this.stream?.go();
  }

  pull(): void {
    this.stream?.go();
  }

  cancel(): void {
    this.#end();
    this.stream?.cancel();
  }

  get ready(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  write(text: string): void {
    const bytes = encoder.encode(text);
    this.#controller?.enqueue(bytes);
    countSent(bytes.length);
  }

  close(): void {
    const controller = this.#controller;
    this.#end();
    controller?.close();
  }

  #end(): void {
    this.#controller = undefined;
    this.#release();
  }
}
