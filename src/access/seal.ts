import { createHmac, timingSafeEqual } from 'node:crypto';

/** Marks texts that go out and come back, so that an altered one is noticed. Good for as long as the key is. */
export class Seal {
  readonly #key: Buffer;

  constructor(key: Uint8Array) {
    this.#key = createHmac('sha256', key).update('seal').digest();
  }

  close(text: string): string {
    return `${Buffer.from(text).toString('base64url')}.${this.#mark(text).toString('base64url')}`;
  }

  /** undefined: it is not what was sealed. */
  open(sealed: string): string | undefined {
    const [body = '', mark = ''] = sealed.split('.');
    const text = Buffer.from(body, 'base64url').toString();
    const expected = this.#mark(text);
    const given = Buffer.from(mark, 'base64url');
    const same = given.length === expected.length && timingSafeEqual(given, expected);
    return same && this.close(text) === sealed ? text : undefined;
  }

  #mark(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest().subarray(0, 16);
  }
}
