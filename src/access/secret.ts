import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What is kept of a secret that has enough randomness of its own. Passwords need password.ts. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** 256 random bits: 43 characters. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a secret is the one with this digest, in a time that does not tell how alike they are. */
export function hasDigest(secret: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(secret)), Buffer.from(expected));
}
