const form = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(-|$)/;

/** The trace id of a request, from its W3C Trace Context header; undefined if it is missing or invalid. */
export function traceOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  const id = form.exec(headers.get('traceparent') ?? '')?.[1];
  return id === undefined || /^0+$/.test(id) ? undefined : id;
}
