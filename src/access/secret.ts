import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The stored form of a secret that is random enough by itself. Passwords need password.ts. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** 256 random bits: 43 characters. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a secret has this digest, compared in constant time. */
export function hasDigest(secret: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(secret)), Buffer.from(expected));
}
