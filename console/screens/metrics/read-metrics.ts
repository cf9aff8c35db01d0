/** The server's metrics at one moment, parsed from `/metrics`. */
export interface Reading {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Requests since the server was started, by status class, such as `2xx`. */
  readonly requests: Readonly<Record<string, number>>;
  /** The cumulative buckets of the histogram: how many requests were answered within `bound` seconds. */
  readonly within: readonly (readonly [bound: number, count: number])[];
  /** NaN: not known, or not available with this engine. */
  readonly gauges: Readonly<Record<string, number>>;
}

const series = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/;

export function readMetrics(text: string, at: number): Reading {
  const requests: Record<string, number> = {};
  const within = new Map<number, number>();
  const gauges: Record<string, number> = {};
  for (const line of text.split('\n')) {
    const [, name = '', labels = '', numeral = ''] = series.exec(line) ?? [];
    const value = Number(numeral);
    if (name === 'vitrine_requests_total') {
      const status = /status="(\w+)"/.exec(labels)?.[1] ?? '';
      requests[status] = (requests[status] ?? 0) + value;
    } else if (name === 'vitrine_request_seconds_bucket') {
      const text = /le="([^"]+)"/.exec(labels)?.[1] ?? '';
      const bound = text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
      within.set(bound, (within.get(bound) ?? 0) + value);
    } else if (name !== '' && labels === '') gauges[name] = value;
  }
  return { at, requests, within: [...within].sort(([a], [b]) => a - b), gauges };
}
