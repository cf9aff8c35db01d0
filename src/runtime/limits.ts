/** Room for an address a good deal longer than allowed, so that the refusal is ours and has our shape. */
export const largestHead = 64 * 1024;

/** Seconds for which an idle connection is kept: longer than a proxy keeps it, which else could use it just as it closes. */
export const keepAlive = 75;

/** What may take longer than an idle connection is kept: an export has no deadline. */
export const mayLast = /\/(?:_changes|export)(?:\?|$)/;

/** The change feed, whose answers may last. */
export const mayStream = /\/_changes(?:\?|$)/;

/** Milliseconds in which an idle connection may bring its last request, once no new one is taken. */
export const lingering = 1_000;
