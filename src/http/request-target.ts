/** Matches nearly every URL. URL.canParse takes four times as long. */
const plain = /^https?:\/\/[a-z\d.-]+(?::(?:[1-5]\d{0,4}|[6-9]\d{0,3}))?\//;

/**
 * Without a Host header, or with an invalid one, a runtime gives only the path, not normalized, or a URL that can't be parsed.
 * Which path is served must not depend on that header, so such a request gets a placeholder host.
 */
export function withAddress(request: Request): Request {
  const { url } = request;
  if (plain.test(url) || (!url.startsWith('/') && URL.canParse(url))) return request;
  return new Request(`http://localhost${targetOf(url)}`, request);
}

/** Path and query, as the caller sent them. */
export function targetOf(url: string): string {
  return url.startsWith('/') ? url : url.slice(url.indexOf('/', 8));
}

/** Whether path and query have more characters than `most`. */
export function isLonger(url: string, most: number): boolean {
  return url.length > most && targetOf(url).length > most;
}

export function pathOf(url: string): string {
  const target = targetOf(url);
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}
