import { setImmediate as turn } from 'node:timers/promises';

/** How much of a refused body is read and thrown away, for how long, and of how many requests at once. */
const most = { bytes: 256 * 1024 * 1024, milliseconds: 10_000, atOnce: 64 };
/** Milliseconds to wait for a body to begin whose client has asked first (`Expect: 100-continue`). */
const beginning = 250;

/** Chunks of a body after which others get their turn: it may come in a million chunks of one byte. */
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
    // The client went away, or somebody else reads the body: there is nothing to wait for.
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
