import type { FileAnswer } from '../records/ask.ts';

export interface Download {
  readonly response: Response;
  /** Settled when nothing more will be sent: all is, or the client went away, or the work failed. */
  readonly over: Promise<void>;
}

/** A file of which each part is made when the client has taken those before it. */
export function download({ name, type, body }: FileAnswer, broke: (error: unknown) => void): Download {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  let cancelled = false;
  const source: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
    async pull(controller) {
      try {
        const { done, value } = await body.next();
        if (cancelled) return;
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        // The connection breaks off: ended properly, the part would pass for the whole.
        broke(error);
        controller.error(error);
      }
      end();
    },
    async cancel() {
      cancelled = true;
      await body.return().finally(end);
    },
  };
  const response = new Response(new ReadableStream(source, { highWaterMark: 0 }), {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      // Without it @hono/node-server looks whether the body is short, and takes a failure there for its end.
      'transfer-encoding': 'chunked',
      'x-content-type-options': 'nosniff',
    },
  });
  return { response, over };
}
