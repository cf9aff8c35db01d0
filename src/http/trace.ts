const form = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(-|$)/;

/** The trace that a request belongs to, by the header of W3C Trace Context; undefined where there is none that is good. */
export function traceOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  const id = form.exec(headers.get('traceparent') ?? '')?.[1];
  return id === undefined || /^0+$/.test(id) ? undefined : id;
}
