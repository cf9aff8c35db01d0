import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, resultOf } from '../support.ts';

const redirect = 'http://127.0.0.1:4000/';
const client = { id: 'the-app', secret: 'a secret of the client, long enough for a signature' };
const now = () => Math.floor(Date.now() / 1000);

/** What the provider says next: as claims to be signed, or as a token that somebody made. */
type Says = (good: JWTPayload) => Promise<string> | string;

let app: TestApp;
let server: Server;
let issuer: string;
let says: Says;
/** Of the sign-in under way. */
let nonce = '';
/** What comes after each of the provider's answers. */
let padding = '';
let keys: Awaited<ReturnType<typeof generateKeyPair>>;

const sign = (claims: JWTPayload, key = keys.privateKey) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key);

before(async () => {
  keys = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  server = createServer(async (request, response) => {
    const answer = async () => {
      switch (request.url) {
        case '/.well-known/openid-configuration':
          return {
            ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
            ...{ jwks_uri: `${issuer}/keys`, response_types_supported: ['code'] },
            ...{ id_token_signing_alg_values_supported: ['RS256'], subject_types_supported: ['public'] },
          };
        case '/keys':
          return { keys: [jwk] };
        default: {
          const good = {
            ...{ iss: issuer, aud: client.id, sub: 'ann', nonce, iat: now(), exp: now() + 300 },
            ...{ email: 'ann@example.com', email_verified: true },
          };
          return { access_token: 'x', token_type: 'Bearer', id_token: await says(good) };
        }
      }
    };
    response.setHeader('content-type', 'application/json');
    response.end(`${JSON.stringify(await answer())}${padding}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await startApp();
  const providers = [{ id: 'fake', issuer, clientId: client.id, clientSecret: client.secret }];
  const body = { id: 'app', auth: { providers, redirects: [redirect] } };
  resultOf(await app.call('POST', '/v1/_admin/projects', { ...asAdmin, body }), 201);
});
after(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await app.close();
});

/** Whether somebody is let in by what the provider says. */
async function signIn(say: Says, more: Record<string, string> = {}): Promise<string> {
  says = say;
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const address = 'http://127.0.0.1/v1/app/_auth/oidc/fake';
  const query = new URLSearchParams({ redirect, challenge });
  const started = await app.fetch(new Request(`${address}?${query}`));
  const to = new URL(started.headers.get('location') ?? '').searchParams;
  nonce = to.get('nonce') ?? '';
  const back = new URLSearchParams({ code: 'x', state: to.get('state') ?? '', ...more });
  const response = await app.fetch(new Request(`${address}/callback?${back}`));
  const came = new URL(response.headers.get('location') ?? '').searchParams;
  const error = came.get('error');
  if (error !== null) return error;
  const sent = { code: came.get('code') ?? '', verifier };
  const reply = await app.call('POST', '/v1/app/_auth/exchange', { body: sent });
  return (resultOf(reply).user as { email: string }).email;
}

describe('what a provider says is believed', () => {
  it('where all of it is right, and clocks differ by some seconds', async () => {
    assert.equal(await signIn((good) => sign(good)), 'ann@example.com');
    assert.equal(await signIn((good) => sign({ ...good, iat: now() + 20 })), 'ann@example.com');
    assert.equal(await signIn((good) => sign({ ...good, exp: now() - 10 })), 'ann@example.com');
  });

  it('and not where anything of it is wrong', async () => {
    const other = await generateKeyPair('RS256');
    const wrong: Record<string, Says> = {
      'the signature of somebody else': (good) => sign(good, other.privateKey),
      'no signature': (good) => new UnsecuredJWT(good).encode(),
      'a signature with the secret of the client': (good) =>
        new SignJWT(good).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(Buffer.from(client.secret)),
      'a key that is not known': (good) =>
        new SignJWT(good).setProtectedHeader({ alg: 'RS256', kid: 'two' }).sign(other.privateKey),
      'another issuer': (good) => sign({ ...good, iss: 'https://evil.example' }),
      'another audience': (good) => sign({ ...good, aud: 'another-app' }),
      'several audiences and another party': (good) => sign({ ...good, aud: [client.id, 'b'], azp: 'b' }),
      'the nonce of another sign-in': (good) => sign({ ...good, nonce: 'another' }),
      'no nonce': ({ nonce: _, ...good }) => sign(good),
      'no subject': ({ sub: _, ...good }) => sign(good),
      'an empty subject': (good) => sign({ ...good, sub: '' }),
      'a time that is over': (good) => sign({ ...good, exp: now() - 60 }),
      'a time that is still to come': (good) => sign({ ...good, nbf: now() + 120 }),
      'no token': () => '',
      'no token at all': () => 'a.b.c',
    };
    for (const [name, say] of Object.entries(wrong)) {
      assert.equal(await signIn(say), 'provider_failed', name);
    }
    const mixedUp = await signIn((good) => sign(good), { iss: 'https://evil.example' });
    assert.equal(mixedUp, 'provider_failed');
    app.errors.length = 0;
  });

  it('nor where it would fill the memory, or names somebody by what is no name', async () => {
    const endless: Says = (good) => {
      padding = ' '.repeat(2 * 1024 * 1024);
      return sign(good);
    };
    assert.equal(await signIn(endless), 'provider_failed');
    padding = '';
    for (const sub of ['a\0b', 'a\ud800', 'a'.repeat(10_000)])
      assert.equal(await signIn((good) => sign({ ...good, sub })), 'provider_failed', JSON.stringify(sub));
    app.errors.length = 0;
  });
});
