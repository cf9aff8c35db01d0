/** What is read of an answer: never its body. */
export interface AnswerHead {
  readonly status: number;
  /** Milliseconds that the receiver wants to be left alone. */
  readonly retryAfter: number | undefined;
}

/** Bytes of a head, beyond which it is none. */
const largestHead = 16 * 1024;

/**
 * The head of an HTTP/1 answer, where all of it is there. What comes before the answer proper (100, 103) is passed over.
 * Throws where it is no such head.
 */
export function readAnswerHead(bytes: Buffer, now: number): AnswerHead | undefined {
  let text = bytes.subarray(0, largestHead).toString('latin1');
  for (;;) {
    const end = /\r?\n\r?\n/.exec(text);
    if (!end) {
      if (bytes.length >= largestHead) throw new Error('the head of the answer is too large');
      return undefined;
    }
    const [first = '', ...lines] = text.slice(0, end.index).split(/\r?\n/);
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1]);
    if (!(status >= 100)) throw new Error('the answer is not HTTP/1.1');
    if (status >= 200) return { status, retryAfter: readRetryAfter(lines, now) };
    text = text.slice(end.index + end[0].length);
  }
}

function readRetryAfter(lines: readonly string[], now: number): number | undefined {
  const value = lines.flatMap((line) => /^retry-after:\s*(.*?)\s*$/i.exec(line)?.[1] ?? [])[0];
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
