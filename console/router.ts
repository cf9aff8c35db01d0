import { useEffect, useState } from 'preact/hooks';

/** The console's URL, with a trailing slash, whatever prefix a proxy adds: this module is served from `_assets/` below it. */
export const consoleBase = new URL('..', import.meta.url).href;
/** The URL of the server, without a trailing slash: the API is at `/v1` below it. */
export const serverBase = new URL('../..', import.meta.url).href.replace(/\/$/, '');

export interface Place {
  /** Relative to the console: `/shop/products`. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Without the #. */
  readonly hash: string;
}

const listeners = new Set<() => void>();

export function currentPlace(): Place {
  const { pathname, search, hash } = location;
  const prefix = new URL(consoleBase).pathname;
  const path = pathname.startsWith(prefix) ? pathname.slice(prefix.length - 1) : '/';
  return { path, query: search.slice(1), hash: hash.slice(1) };
}

/** The `href` of a place in the console. */
export function hrefOf(path: string, query = ''): string {
  return new URL(`.${path}`, consoleBase).pathname + (query === '' ? '' : `?${query}`);
}

/** `replace`: replaces the current entry of the browser's history, so that Back skips it. */
export function navigate(path: string, { query = '', replace = false } = {}): void {
  const href = hrefOf(path, query);
  if (href === location.pathname + location.search) return;
  if (replace) history.replaceState(history.state, '', href);
  else history.pushState(null, '', href);
  announce();
}

function announce(): void {
  for (const listener of [...listeners]) listener();
}
addEventListener('popstate', announce);

export function usePlace(): Place {
  const [place, setPlace] = useState(currentPlace);
  useEffect(() => {
    const listener = () => setPlace(currentPlace());
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return place;
}

export type Params = Readonly<Record<string, string>>;

export interface ScreenProps {
  readonly params: Params;
}

/** Matches `/:project/_users` with `/shop/_users`. Reserved names begin with an underscore, so no parameter matches one. */
export function matchPath(pattern: string, path: string): Params | undefined {
  const wanted = split(pattern);
  const given = split(path);
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== value) return undefined;
    } else {
      if (value.startsWith('_')) return undefined;
      params[part.slice(1)] = decode(value);
    }
  }
  return params;
}

const split = (path: string) => path.split('/').filter((part) => part !== '');

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
