/** What nearly every address looks like. URL.canParse takes four times as long. */
const plain = /^https?:\/\/[a-z\d.-]+(?::(?:[1-5]\d{0,4}|[6-9]\d{0,3}))?\//;

/**
 * Without a Host, or with an odd one, a runtime gives an address that is the path alone, not normalized, or one that
 * nobody can parse. Which path is served must not depend on that header: such a request gets a host that is none.
 */
export function withAddress(request: Request): Request {
  const { url } = request;
  if (plain.test(url) || (!url.startsWith('/') && URL.canParse(url))) return request;
  return new Request(`http://localhost${targetOf(url)}`, request);
}

/** Path and query: what the caller wrote after the host. */
export function targetOf(url: string): string {
  return url.startsWith('/') ? url : url.slice(url.indexOf('/', 8));
}

export function pathOf(url: string): string {
  const target = targetOf(url);
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}
