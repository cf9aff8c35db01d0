/** Let a browser app on any origin use the record API. Tokens travel in a header, never in a cookie. */
export const openHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, retry-after, x-request-id, idempotency-replayed',
};

export function allowOrigin(response: Response): Response {
  for (const [name, value] of Object.entries(openHeaders)) response.headers.set(name, value);
  return response;
}

export function preflight(allow: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      allow: allow.join(', '),
      'access-control-allow-origin': '*',
      'access-control-allow-methods': allow.join(', '),
      'access-control-allow-headers': 'authorization, content-type, if-match, if-none-match, idempotency-key',
      'access-control-max-age': '86400',
    },
  });
}
