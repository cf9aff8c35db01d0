import { countSent } from '../metrics/counted.ts';
import type { FileAnswer } from '../records/ask.ts';
import { unstored } from './respond.ts';

export interface Download {
  readonly response: Response;
  /** Settled when nothing more will be sent: all is, or the client went away, or the work failed. */
  readonly over: Promise<void>;
}

/** How long a client may take nothing, in milliseconds: a project can't be closed while it is read from. */
const longestWait = 60_000;

const lasting = new WeakMap<Response, { beforeEnd?: () => void }>();

/** Runs `work` right before the end of an answer is sent: for a download after its last part, for anything else at once. */
export function beforeEnd(response: Response, work: () => void): void {
  const download = lasting.get(response);
  if (download) download.beforeEnd = work;
  else work();
}

/** A file of which each part is made when the client has taken those before it. */
export function download(
  { name, type, body }: FileAnswer,
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
          // The connection breaks off: ended properly, the part would pass for the whole.
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
      'content-disposition': `attachment; filename="${name}"`,
      // Without it @hono/node-server looks whether the body is short, and takes a failure there for its end.
      'transfer-encoding': 'chunked',
      'x-content-type-options': 'nosniff',
      // The request may have brought a ticket: then no header of it tells a shared cache that the file is for one alone.
      ...unstored,
    },
  });
  lasting.set(response, hooks);
  return { response, over };
}
