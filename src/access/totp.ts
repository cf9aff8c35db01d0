import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Codes of authenticator apps (RFC 6238) with what every app supports: SHA-1, six digits, a new code every 30 seconds. */

const seconds = 30;
const digits = 6;
/** Clocks of phones are off by some seconds, so the previous and the next code are valid too. */
const drift = 1;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** 160 random bits, in base32. */
export function newTotpSecret(): string {
  return base32(randomBytes(20));
}

/** The URI that an app reads from a QR code. */
export function totpUri(issuer: string, account: string, secret: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

/** The time step that a code belongs to; undefined if it is not valid now. Compares every candidate, in constant time. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const current = Math.floor(now / 1000 / seconds);
  const isCode = /^[0-9]{6}$/.test(code);
  const sent = Buffer.from(isCode ? code : '-'.repeat(digits));
  let found: number | undefined;
  for (let step = Math.max(0, current - drift); step <= current + drift; step++) {
    const same = timingSafeEqual(sent, Buffer.from(totpCode(secret, step)));
    if (same) found = step;
  }
  return found;
}

export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, '0');
}

/** 80 random bits each, in groups of four that are easy to type. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: 10 }, () =>
    base32(randomBytes(10))
      .toLowerCase()
      .replace(/.{4}(?!$)/g, '$&-'),
  );
}

/** Normalizes a recovery code to the form in which it was issued; undefined if it can't be one. */
export function readRecoveryCode(code: string): string | undefined {
  const plain = code.toLowerCase().replace(/[\s-]/g, '');
  return /^[a-z2-7]{16}$/.test(plain) ? plain.replace(/.{4}(?!$)/g, '$&-') : undefined;
}

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
