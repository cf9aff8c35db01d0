import type { CustomFetch } from 'openid-client';

/** Most bytes of a provider's response; metadata, keys and tokens have a few thousand. */
const mostBytes = 1024 * 1024;

/** A `fetch` that limits the response size: a provider is trusted with identities, but must not be able to fill our memory. */
export const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit);
  if (!response.body) return response;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body) {
    length += part.length;
    if (length > mostBytes) throw new Error(`${url} answers more than ${mostBytes} bytes`);
    parts.push(part);
  }
  const { status, headers } = response;
  return new Response(Buffer.concat(parts), { status, headers });
};
