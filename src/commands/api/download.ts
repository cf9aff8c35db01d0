import { VitrineError } from '../../../client/admin.ts';
import { CommandFailure } from '../command.ts';
import { reasonOf } from '../engine/reasons.ts';
import { requireGoingOn } from '../terminal/stop.ts';
import type { Endpoint } from './local-app.ts';

/** The raw response of the API to a GET. Throws a VitrineError if it is an error, or if there is no response. */
export async function download(
  { url, token, fetch }: Endpoint,
  path: string,
  signal?: AbortSignal,
): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  const init = { headers, ...(signal && { signal }) };
  const response = await fetch(`${url}${path}`, init).catch((error: unknown) => {
    requireGoingOn(signal);
    throw new VitrineError(0, reasonOf(error), undefined, error);
  });
  if (response.ok) return response;
  const { status, statusText } = response;
  const answer = (await response.json().catch(() => undefined)) as { error?: string } | undefined; // HTML from a proxy
  throw new VitrineError(status, answer?.error ?? `The server answered ${status} ${statusText}`.trim());
}

/** The bytes of a response as they arrive, until the signal. A response that is cut off is an error. */
export async function* bytesOf({ body }: Response, signal?: AbortSignal): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const part of body ?? []) {
      requireGoingOn(signal);
      yield part;
    }
  } catch (error) {
    requireGoingOn(signal);
    throw new CommandFailure(`the answer broke off: ${reasonOf(error)}`);
  }
}
