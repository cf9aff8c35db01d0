import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import type { Storage } from '../storage.ts';

/** The key a project signs with, read from where it is stored: what no caller has. */
export async function signingKeyOf(storage: Storage, project: string): Promise<Uint8Array> {
  const engine = storage.open();
  const store = await engine.openProject(project);
  try {
    return Uint8Array.from(await store.accounts.signingKey());
  } finally {
    await store.close();
    await engine.close();
  }
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Access tokens like a good one, each with one thing wrong. */
export async function forgeries(
  good: string,
  key: Uint8Array,
  { user, project }: { user: string; project: string },
): Promise<Record<string, string>> {
  const [head = '', body = '', signature = ''] = good.split('.');
  const claims = decodeJwt(good);
  const signed = (change: object, alg = 'HS256', by: Parameters<SignJWT['sign']>[0] = key) =>
    new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg, typ: 'JWT' }).sign(by);
  const keyed = (alg: string, hash: string, text = `${part({ alg, typ: 'JWT' })}.${body}`) =>
    `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
  assert.equal(keyed('HS256', 'sha256', `${head}.${body}`), good, 'the key is the right one');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  const { exp, ...unending } = claims;
  return {
    'altered signature': `${head}.${body}.${flipped}`,
    'no signature': `${head}.${body}.`,
    'cut off signature': `${head}.${body}`,
    'altered payload': `${head}.${part({ ...claims, sub: user })}.${signature}`,
    'signed with another key': await signed({}, 'HS256', randomBytes(32)),
    'alg none': `${part({ alg: 'none', typ: 'JWT' })}.${body}.`,
    'alg None with the signature': `${part({ alg: 'None' })}.${body}.${signature}`,
    'HS512 with the right key': keyed('HS512', 'sha512'),
    'HS384 with the right key': keyed('HS384', 'sha384'),
    'HS1 with the right key': keyed('HS1', 'sha1'),
    'HS512 header over an HS256 signature': `${part({ alg: 'HS512', typ: 'JWT' })}.${body}.${signature}`,
    'RS256 with a key of its own': await signed({}, 'RS256', privateKey),
    'RS256 header over an HS256 signature': `${part({ alg: 'RS256', typ: 'JWT' })}.${body}.${signature}`,
    'right key, expired': await signed({ exp: 1 }),
    'right key, no expiry': await new SignJWT(unending).setProtectedHeader({ alg: 'HS256' }).sign(key),
    'right key, no session': await signed({ session: 'none' }),
    "right key, somebody else's session": await signed({ sub: user }),
    'right key, another audience': await signed({ aud: project }),
    'right key, an audience that does not exist': await signed({ aud: 'none' }),
    'right key, an audience that is a path': await signed({ aud: `../projects/${project}` }),
  };
}
