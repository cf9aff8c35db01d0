/** Room for a URL much longer than allowed, so that it is refused by our own code, in our own format. */
export const largestHead = 64 * 1024;

/** Seconds for which an idle connection is kept: longer than proxies keep it, which otherwise could use it just as it closes. */
export const keepAlive = 75;

/** Requests that may take longer than an idle connection is kept: an export has no deadline. */
export const mayLast = /\/(?:_changes|export)(?:\?|$)/;

/** The change feed, whose answers may be endless streams. */
export const mayStream = /\/_changes(?:\?|$)/;

/** Milliseconds in which an idle connection may send a last request, once no new connections are accepted. */
export const lingering = 1_000;
