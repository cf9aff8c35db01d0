import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const method = 'aes-256-gcm';
const [nonceLength, markLength] = [12, 16];

/** Encrypts texts that a client gets and sends back, such as cursors: it can't read them, and an altered one is refused. */
export class CursorCipher {
  readonly #key: Buffer;

  /** Sealed texts stay valid as long as the key is the same, also after a restart. */
  constructor(key: Uint8Array) {
    this.#key = createHmac('sha256', key).update('seal').digest();
  }

  close(text: string): string {
    // Derived from the text: the same text always gives the same result, and no two texts share a nonce.
    const nonce = createHmac('sha256', this.#key).update(text).digest().subarray(0, nonceLength);
    const cipher = createCipheriv(method, this.#key, nonce, { authTagLength: markLength });
    const closed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), closed]).toString('base64url');
  }

  /** undefined: it was not made by `close` with this key, or it was altered. */
  open(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < nonceLength + markLength || bytes.toString('base64url') !== sealed) return undefined;
    const nonce = bytes.subarray(0, nonceLength);
    const decipher = createDecipheriv(method, this.#key, nonce, { authTagLength: markLength });
    decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + markLength));
    try {
      const opened = decipher.update(bytes.subarray(nonceLength + markLength));
      return Buffer.concat([opened, decipher.final()]).toString();
    } catch {
      return undefined;
    }
  }
}
