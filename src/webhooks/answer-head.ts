import { type AnswerBody, bodyOf } from './answer-body.ts';

/** The part of an answer that is reported; its body never is. */
export interface AnswerHead {
  readonly status: number;
  /** Milliseconds that the receiver asks to wait. */
  readonly retryAfter: number | undefined;
}

export interface ReadHead {
  readonly head: AnswerHead;
  /** Bytes of the head, including interim answers before it. */
  readonly length: number;
  readonly body: AnswerBody;
}

/** Most bytes of a head; a larger one is an error. */
const largestHead = 16 * 1024;

/**
 * Parses the head of an HTTP/1 answer; undefined if it is incomplete. Interim answers (100, 103) are skipped. Throws if it is
 * not such a head.
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
