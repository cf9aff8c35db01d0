import assert from 'node:assert/strict';
import { hashPassword } from '../../src/access/password.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import {
  type AppOptions,
  adminKey,
  type CallOptions,
  type Reply,
  startApp,
  type TestApp,
} from '../harness.ts';
import { type Storage, startStorage } from '../storage.ts';
import { resultOf } from '../support.ts';

export const password = 'correct horse battery';

export const second = 1000;
export const minute = 60 * second;
export const day = 24 * 60 * minute;

export interface Profile {
  readonly _id: string;
  readonly email: string;
  readonly name: string;
  readonly workspace: string | null;
}

export interface SignedIn {
  readonly user: Profile;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: string;
  readonly expiresIn: number;
}

/** A clock that stands still until it is moved. */
export class Clock {
  #now = Date.UTC(2026, 0, 1);
  readonly now = (): number => this.#now;
  move(ms: number): void {
    this.#now += ms;
  }
}

/** The people of one project, and what they and their managers can ask for. */
export class People {
  readonly app: TestApp;
  readonly project: string;

  constructor(app: TestApp, project: string) {
    this.app = app;
    this.project = project;
  }

  email(name: string): string {
    return `${name}@example.com`;
  }

  auth(verb: string, path: string, body?: Json, options: CallOptions = {}): Promise<Reply> {
    return this.app.call(verb, `/v1/${this.project}/_auth/${path}`, { ...options, body });
  }

  manage(verb: string, path: string, body?: Json, token = adminKey): Promise<Reply> {
    return this.app.call(verb, `/v1/_admin/projects/${this.project}${path}`, { body, token });
  }

  async register(name: string): Promise<SignedIn> {
    const reply = await this.auth('POST', 'register', { email: this.email(name), password, name });
    return resultOf(reply, 201) as unknown as SignedIn;
  }

  tryLogin(name: string, secret = password, options: CallOptions = {}): Promise<Reply> {
    return this.auth('POST', 'login', { email: this.email(name), password: secret }, options);
  }

  async login(name: string, secret = password): Promise<SignedIn> {
    return signedIn(await this.tryLogin(name, secret));
  }

  refresh(refreshToken: string): Promise<Reply> {
    return this.auth('POST', 'refresh', { refreshToken });
  }

  me(token: string): Promise<Reply> {
    return this.auth('GET', 'me', undefined, { token });
  }

  /** A workspace with this user as its owner. */
  async workspace(owner: SignedIn, name: string): Promise<string> {
    const reply = await this.auth('POST', 'workspaces', { name }, { token: owner.accessToken });
    return String(resultOf(reply, 201)._id);
  }

  async join(workspace: string, { user }: SignedIn, role = 'member'): Promise<void> {
    resultOf(await this.manage('POST', `/workspaces/${workspace}/members`, { user: user._id, role }), 201);
  }

  /** Signed in anew, with this current workspace. */
  async switch({ accessToken }: SignedIn, workspace: string): Promise<SignedIn> {
    return signedIn(await this.auth('POST', 'switch', { workspace }, { token: accessToken }));
  }

  async key(more: JsonObject = {}): Promise<{ readonly _id: string; readonly key: string }> {
    const { _id, key } = resultOf(await this.manage('POST', '/keys', { name: 'backend', ...more }), 201);
    return { _id: String(_id), key: String(key) };
  }

  records(verb: string, rest: string, body?: Json, options: CallOptions = {}): Promise<Reply> {
    return this.app.call(verb, `/v1/${this.project}/${rest}`, { ...options, body });
  }
}

export function signedIn(reply: Reply): SignedIn {
  return resultOf(reply) as unknown as SignedIn;
}

/** What a project's users own: a text, at one level. */
export function notes(id: string, access: string, methods: JsonObject = {}): JsonObject {
  return { id, fields: { text: { type: 'text' } }, api: { access, methods } };
}

/** A project of its own, with one collection of notes a level: `public`, `user`, `workspace`. */
export async function makePeople(app: TestApp, project = 'shop'): Promise<People> {
  await app.project(project, ...['public', 'user', 'workspace'].map((level) => notes(level, level)));
  return new People(app, project);
}

/** An app over storage that can be opened beside it too. */
export interface Place {
  readonly app: TestApp;
  readonly storage: Storage;
  close(): Promise<void>;
}

export async function startPlace(options: AppOptions = {}): Promise<Place> {
  const storage = await startStorage();
  const app = await startApp({ ...options, storage });
  return {
    app,
    storage,
    async close() {
      await app.close();
      await storage.remove();
    },
  };
}

/** As `vitrine admin` does, past the app that is running. */
export async function makeAdministrator(storage: Storage, email: string, secret: string): Promise<void> {
  const engine = storage.open();
  await engine.administrators.save(email, await hashPassword(secret));
  await engine.close();
}

/** 401, with the header that says how to do better. */
export function assertUnauthenticated(reply: Reply): void {
  assert.equal(reply.status, 401, reply.text);
  assert.deepEqual(Object.keys(reply.body), ['ok', 'error'], reply.text);
  assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
}
