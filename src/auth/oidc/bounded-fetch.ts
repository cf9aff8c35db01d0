import type { CustomFetch } from 'openid-client';

/** Bytes of one answer of a provider: what it says of itself, its keys and its tokens have some thousand. */
const mostBytes = 1024 * 1024;

/** A provider is a machine of somebody else, who is trusted with names and addresses: what it sends is not to fill the memory of this one. */
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
