import type { TokenStorage } from 'vitrine/client';

/** Keeps the session in a cookie: read from the request, and written to the response. */
export interface CookieStorage extends TokenStorage {
  /** The `Set-Cookie` headers that the response needs. */
  readonly changes: ReadonlyMap<string, string>;
}

const month = 30 * 24 * 60 * 60;

export function cookieStorage(request: Request, secure: boolean): CookieStorage {
  const cookies = new Map<string, string>();
  for (const pair of (request.headers.get('cookie') ?? '').split('; ')) {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    cookies.set(name, value);
  }
  const changes = new Map<string, string>();
  // Scripts can't read it, and it is not sent with forms from other sites.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const set = (value: string, seconds: number) => {
    cookies.set('session', value);
    changes.set('session', `session=${value}; Max-Age=${seconds}; ${attributes}`);
  };
  return {
    changes,
    getItem: () => decodeURIComponent(cookies.get('session') ?? ''),
    setItem: (_, value) => set(encodeURIComponent(value), month),
    removeItem: () => set('', 0),
  };
}
