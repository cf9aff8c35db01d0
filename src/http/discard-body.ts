import { setImmediate as turn } from 'node:timers/promises';

/** How much of a refused body is read and discarded, for how long, and for how many requests at once. */
const most = { bytes: 256 * 1024 * 1024, milliseconds: 10_000, atOnce: 64 };
/** Milliseconds to wait for the body of a client that has sent `Expect: 100-continue`. */
const beginning = 250;

/** Chunks of a body after which other requests get a turn, as it may arrive in a million chunks of one byte. */
export const readInARow = 32;

let underWay = 0;

/**
 * A client that is still sending when the connection closes loses the answer. So the rest of its body is read first, within
 * limits. `asked`: the client may not have begun to send.
 */
export async function discardBody(request: Request, asked: boolean): Promise<void> {
  if (underWay >= most.atOnce) return;
  underWay += 1;
  try {
    await discard(request.body, asked ? beginning : most.milliseconds);
  } catch {
    // The client has disconnected, or the body is being read elsewhere: there is nothing to wait for.
  } finally {
    underWay -= 1;
  }
}

async function discard(body: ReadableStream<Uint8Array> | null, firstWithin: number): Promise<void> {
  if (!body || body.locked) return;
  const reader = body.getReader();
  const { promise: late, resolve } = Promise.withResolvers<{ done: true; value: undefined }>();
  const stop = (milliseconds: number) => setTimeout(resolve, milliseconds, { done: true, value: undefined });
  let timer = stop(firstWithin);
  try {
    for (let [left, parts] = [most.bytes, 1]; left >= 0; parts++) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return;
      left -= value.length;
      if (parts % readInARow === 0) await turn();
      if (parts > 1) continue;
      clearTimeout(timer);
      timer = stop(most.milliseconds);
    }
  } finally {
    clearTimeout(timer);
  }
}
