import assert from 'node:assert/strict';
import type { Envelope, Transport } from '../../src/mail/transport.ts';

/** Mails that arrived, in memory. */
export class Post implements Transport {
  readonly sent: Envelope[] = [];

  async send(mail: Envelope): Promise<void> {
    this.sent.push(mail);
  }

  to(address: string): Envelope[] {
    return this.sent.filter(({ to }) => to === address);
  }

  last(address: string): Envelope {
    const mail = this.to(address).at(-1);
    assert.ok(mail, `there is no mail to ${address}`);
    return mail;
  }

  /** What the last mail to an address proves. */
  token(address: string): string {
    return tokenIn(this.last(address).text);
  }
}

/** It stands in a link, as `token=…`. */
export function tokenIn(text: string): string {
  const [, token] = /https?:\S+[?#&]token=([\w-]{43})(?![\w-])/.exec(text) ?? [];
  assert.ok(token, `there is no token in ${text}`);
  return token;
}
