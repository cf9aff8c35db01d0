import { type AnswerBody, bodyOf } from './answer-body.ts';

/** What is reported of an answer: never its body. */
export interface AnswerHead {
  readonly status: number;
  /** Milliseconds that the receiver wants to be left alone. */
  readonly retryAfter: number | undefined;
}

export interface ReadHead {
  readonly head: AnswerHead;
  /** Bytes of the head, and of what came before it. */
  readonly length: number;
  readonly body: AnswerBody;
}

/** Bytes of a head, beyond which it is none. */
const largestHead = 16 * 1024;

/**
 * The head of an HTTP/1 answer, where all of it is there. What comes before the answer proper (100, 103) is passed over.
 * Throws where it is no such head.
 */
export function readAnswerHead(bytes: Buffer, now: number): ReadHead | undefined {
  const text = bytes.subarray(0, largestHead).toString('latin1');
  for (let begin = 0; ; ) {
    const end = /\r?\n\r?\n/.exec(text.slice(begin));
    if (!end) {
      if (bytes.length >= largestHead) throw new Error('the head of the answer is too large');
      return undefined;
    }
    const [first = '', ...lines] = text.slice(begin, begin + end.index).split(/\r?\n/);
    const [, version, digits] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first) ?? [];
    const status = Number(digits);
    if (!(status >= 100)) throw new Error('the answer is not HTTP/1.1');
    begin += end.index + end[0].length;
    if (status < 200) continue;
    const values = (name: string) => valuesOf(lines, name);
    const body = version === '1' ? bodyOf(status, values) : { kind: 'endless' as const };
    return { head: { status, retryAfter: readRetryAfter(values, now) }, length: begin, body };
  }
}

function valuesOf(lines: readonly string[], name: string): string[] {
  return lines.flatMap((line) => {
    const colon = line.indexOf(':');
    return line.slice(0, colon).toLowerCase() === name ? [line.slice(colon + 1).trim()] : [];
  });
}

function readRetryAfter(values: (name: string) => string[], now: number): number | undefined {
  const value = values('retry-after')[0];
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
