import { countSent } from '../metrics/counted.ts';
import type { FileAnswer } from '../records/ask.ts';
import { unstored } from './respond.ts';

export interface Download {
  readonly response: Response;
  /** Settles when nothing more will be sent: it is complete, the client has disconnected, or the work failed. */
  readonly over: Promise<void>;
}

/** Milliseconds after which a client that reads nothing is dropped: a project can't be closed while it is being read. */
const longestWait = 60_000;

const lasting = new WeakMap<Response, { beforeEnd?: () => void }>();

/** Whether it is sent in parts that are made on demand. */
export const isStreamed = (response: Response): boolean => lasting.has(response);

/** Runs `work` right before the end of a response is sent: for a download after its last part, otherwise at once. */
export function beforeEnd(response: Response, work: () => void): void {
  const download = lasting.get(response);
  if (download) download.beforeEnd = work;
  else work();
}

/** An answer whose parts are made on demand, as the client reads them. One with a name is a file, which browsers save. */
export function download(
  { name, type, body }: Omit<FileAnswer, 'name'> & { readonly name?: string },
  broke: (error: unknown) => void,
  timeout = longestWait,
): Download {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const hooks: { beforeEnd?: () => void } = {};
  let ended = false;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    ended = true;
    resolve();
  };
  const source: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
    async pull(controller) {
      clearTimeout(waiting);
      try {
        const { done, value } = await body.next();
        if (ended) return;
        if (!done) {
          controller.enqueue(value);
          countSent(value.length);
          waiting = setTimeout(giveUp, timeout, controller);
          return;
        }
        hooks.beforeEnd?.();
        controller.close();
      } catch (error) {
        if (!ended) {
          // Breaks the connection: if it ended properly, the client would take the part for the whole.
          broke(error);
          controller.error(error);
        }
      }
      end();
    },
    async cancel() {
      clearTimeout(waiting);
      end();
      await body.return();
    },
  };
  const giveUp = (controller: ReadableStreamDefaultController) => {
    hooks.beforeEnd?.();
    controller.error(new Error('the client took nothing for too long'));
    end();
    void body.return();
  };
  const response = new Response(new ReadableStream(source, { highWaterMark: 0 }), {
    headers: {
      'content-type': type,
      // Without it @hono/node-server checks whether the body is short, and takes an error there for its end.
      'transfer-encoding': 'chunked',
      'x-content-type-options': 'nosniff',
      // A request with a ticket has no Authorization header that would keep the response out of shared caches.
      ...(name !== undefined && { 'content-disposition': `attachment; filename="${name}"`, ...unstored }),
    },
  });
  lasting.set(response, hooks);
  return { response, over };
}
