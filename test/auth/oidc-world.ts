import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import type { TestApp } from '../harness.ts';

/** Somebody at the provider. */
export interface Person {
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
}

export const client = { id: 'the-app', secret: 'a secret of the client' };
export const redirect = 'http://127.0.0.1:4000/signed-in?from=here';

/** A real OpenID provider on a port of its own, whose people sign in with any password. */
export class RealProvider {
  readonly people = new Map<string, Person>();
  readonly #server: Server;
  #handle: (...args: never[]) => unknown = () => {};
  readonly issuer: string;
  readonly #callbacks: readonly string[];

  private constructor(server: Server, callbacks: (issuer: string) => readonly string[]) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#callbacks = callbacks(this.issuer);
    server.on('request', (request, response) => this.#handle(request as never, response as never));
  }

  static async start(callbacks: (issuer: string) => readonly string[]): Promise<RealProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const made = new RealProvider(server, callbacks);
    await made.rotateKeys();
    return made;
  }

  /** As after a restart with other keys. */
  async rotateKeys(): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), use: 'sig' };
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [...this.#callbacks],
          grant_types: ['authorization_code'],
        },
      ],
      claims: { email: ['email', 'email_verified'], profile: ['name'] },
      jwks: { keys: [key] },
      cookies: { keys: ['a key of the provider'] },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, ...this.people.get(id) }),
      }),
    });
    this.#handle = provider.callback() as never;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A browser: it follows redirects and keeps cookies. Requests to `/v1` go to the app. */
export class Browser {
  readonly #app: Pick<TestApp, 'fetch'>;
  readonly #cookies = new Map<string, string>();

  constructor(app: Pick<TestApp, 'fetch'>) {
    this.#app = app;
  }

  /** From an address of the app on, until the browser is back at the app of whoever signs in, or stands still. */
  async signIn(start: string, login: string): Promise<{ url: URL; text: string; status: number }> {
    let [url, body] = [new URL(start), undefined as URLSearchParams | undefined];
    for (let hop = 0; hop < 20; hop++) {
      const response = await this.#send(url, body);
      const location = response.headers.get('location');
      if (location !== null) {
        [url, body] = [new URL(location, url), undefined];
        if (url.href.startsWith('http://127.0.0.1:4000/')) return { url, text: '', status: 302 };
        continue;
      }
      const text = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
      const action = /action="([^"]+)"/.exec(text)?.[1];
      if (prompt === undefined || action === undefined) return { url, text, status: response.status };
      url = new URL(action, url);
      body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'x' }) });
    }
    throw new Error(`the browser goes round in circles at ${url}`);
  }

  async #send(url: URL, body: URLSearchParams | undefined): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const request = new Request(url, {
      method: body ? 'POST' : 'GET',
      headers: { cookie, ...(body && { 'content-type': 'application/x-www-form-urlencoded' }) },
      redirect: 'manual',
      ...(body && { body: body.toString() }),
    });
    const response = url.pathname.startsWith('/v1/') ? await this.#app.fetch(request) : await fetch(request);
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
