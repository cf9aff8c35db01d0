/** Lets browser apps of any origin use the record API. Tokens are sent in a header, never in a cookie. */
export const openHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'allow, content-disposition, etag, idempotency-replayed, retry-after, www-authenticate, x-request-id',
};

export function allowOrigin(response: Response): Response {
  for (const [name, value] of Object.entries(openHeaders)) response.headers.set(name, value);
  return response;
}

/** Allows every verb, so that the page can read the 405 for a wrong one. */
export function preflight(allow: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...(allow.length > 0 && { allow: allow.join(', ') }),
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, if-match, if-none-match, idempotency-key, last-event-id',
      'access-control-max-age': '86400',
    },
  });
}

/** Paths for whoever runs the server, and for its own pages. */
const closed = /^\/(?:(?:v1\/_admin|_console|metrics|healthz|readyz)(?:\/|$)|$)/;

/** Whether pages of any origin may read errors of this path. */
export function isOpen(path: string): boolean {
  try {
    return !closed.test(decodeURIComponent(path));
  } catch {
    return true; // no path of ours needs encoding
  }
}
