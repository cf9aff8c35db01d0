import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readNetworks } from '../src/access/networks.ts';
import type { RateLimit } from '../src/access/rate-limit.ts';
import { digest } from '../src/access/secret.ts';
import { SignInLimit } from '../src/access/sign-in-limit.ts';
import { Backups } from '../src/backups/backups.ts';
import { backUpBeforeUpgrade } from '../src/backups/before-upgrade.ts';
import { folderPlace } from '../src/backups/folder.ts';
import { Catalog } from '../src/catalog/catalog.ts';
import { createApp } from '../src/http/app.ts';
import { defaultLimits, type GivenServices, type Limits } from '../src/http/services.ts';
import type { Log } from '../src/log.ts';
import { createMails } from '../src/mail/mails.ts';
import { sendMails } from '../src/mail/send-mails.ts';
import type { Transport } from '../src/mail/transport.ts';
import type { Json, JsonObject } from '../src/model/json.ts';
import { Departures } from '../src/records/departures.ts';
import { loadRuntime } from '../src/runtime/load-runtime.ts';
import type { Engine } from '../src/store/engine.ts';
import { localBackupFiles } from '../src/store/engines/sqlite/backup/local-backup-files.ts';
import type { SendOptions } from '../src/webhooks/send.ts';
import { adminKey } from './admin-key.ts';
import { checked, noteSchemas } from './described-answers.ts';
import { type Storage, startStorage } from './storage.ts';

export { adminKey };

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body. */
  readonly body: { ok: boolean; result: Record<string, unknown>; error: string };
}

export interface CallOptions {
  readonly body?: Json | undefined;
  /** Sent as Bearer token; the administrator's with `admin`. */
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  /** Where the connection comes from. */
  readonly peer?: string;
}

export interface TestApp {
  /** The front door, without a socket. */
  fetch(request: Request): Promise<Response>;
  call(verb: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Makes a project with these collections, in order. */
  project(id: string, ...collections: readonly JsonObject[]): Promise<void>;
  /** Sends the mails that are due, and deletes what is left to be deleted. */
  work(): Promise<void>;
  /** What was logged as an error. */
  readonly errors: unknown[];
  /** The same, with what was said about each. */
  readonly logged: readonly { readonly message: string; readonly error: unknown }[];
  /** For work beside requests. */
  catalog(): Catalog;
  /** Closes everything and opens it again over the same storage, as a restart would. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface AppOptions {
  readonly limits?: Partial<Limits>;
  readonly now?: () => number;
  /** Milliseconds by which processes wait for each other. */
  readonly clock?: () => number;
  /** Of new records. */
  readonly newId?: () => string;
  readonly trustProxy?: string;
  readonly rateLimit?: RateLimit;
  /** Storage that is there already, which stays when the app is closed. */
  readonly storage?: Storage;
  /** Stands in front of the engine, to watch it or to make it fail. */
  readonly wrap?: (engine: Engine) => Engine;
  /** Where backups go, also those before an upgrade; one of its own without those, which is removed with the app, where it is left out. */
  readonly backupFolder?: string;
  readonly webhooks?: SendOptions;
  /** As --public-url. */
  readonly publicUrl?: string;
  /** Where mails go, by `send`; without it the app has no mail. */
  readonly mail?: Transport;
  /** What `fetch` answers is not held against its description: where it is read so often that this would take most of the time. */
  readonly unchecked?: boolean;
}

/** Where people reach the app, behind a path as a proxy may have it. */
export const publicUrl = 'https://data.example.com/base';

/** With a body to parse: a 304 and the answer to HEAD have none, and a download is left to whoever takes it. */
function isJson({ headers, body }: Response): boolean {
  if (body === null || headers.has('content-disposition')) return false;
  return headers.get('content-type')?.startsWith('application/json') ?? false;
}

/** The whole product over storage of its own. */
export async function startApp(options: AppOptions = {}): Promise<TestApp> {
  const storage = options.storage ?? (await startStorage());
  const errors: unknown[] = [];
  const logged: { message: string; error: unknown }[] = [];
  const log: Log = {
    info() {},
    error(message, error) {
      errors.push(error);
      logged.push({ message, error });
    },
  };
  const now = options.now ?? Date.now;
  const { sqlite } = await loadRuntime();
  const backupFolder = options.backupFolder ?? join(tmpdir(), `vitrine-backups-${randomUUID()}`);
  const open = () => {
    const engine = storage.open(options.clock);
    const catalog = new Catalog(options.wrap?.(engine) ?? engine, now);
    noteSchemas(catalog);
    const limits = { ...defaultLimits, ...options.limits };
    const services: GivenServices = {
      catalog,
      log,
      now,
      ...(options.newId && { newId: options.newId }),
      ...(options.webhooks && { webhooks: options.webhooks }),
      adminKeyDigest: digest(adminKey),
      signInLimit: new SignInLimit(catalog.failedSignIns),
      rateLimit: options.rateLimit,
      proxies: readNetworks(options.trustProxy ?? ''),
      limits,
      publicUrl: options.publicUrl,
      ...(options.mail && { mails: createMails(catalog.coordination) }),
    };
    const backups = new Backups({
      ...{ catalog, log, now, vitrine: 'test' },
      place: folderPlace(backupFolder),
      openFiles: () => localBackupFiles(sqlite),
    });
    if (options.backupFolder) catalog.beforeUpgrade(backUpBeforeUpgrade(backups, now));
    return { catalog, backups, app: createApp({ ...services, backups }) };
  };
  let { catalog, backups, app } = open();
  /** A request to one of several nodes comes in a turn of its own, as from a socket: whoever sends it has heard of what was answered. */
  const answer = async (request: Request, peer?: () => string) => {
    if (options.storage) await new Promise((resolve) => setImmediate(resolve));
    return app.fetch(request, peer);
  };

  const testApp: TestApp = {
    errors,
    logged,
    catalog: () => catalog,
    fetch: async (request) =>
      options.unchecked
        ? answer(request)
        : checked(
            request,
            () => answer(request),
            async (response) => ({
              response,
              body: isJson(response) ? await response.clone().json() : undefined,
            }),
          ),
    async call(verb, path, { body, token, headers = {}, peer = '127.0.0.1' } = {}) {
      const request = new Request(`http://vitrine.test${path}`, {
        method: verb,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const read = async () => {
        const response = await answer(request, () => peer);
        const text = await response.text();
        return { response, text, body: isJson(response) && text !== '' ? JSON.parse(text) : undefined };
      };
      const { response, text, body: parsed } = await checked(request, read, async (given) => given);
      return { status: response.status, headers: response.headers, text, body: parsed ?? {} };
    },
    async project(id, ...collections) {
      const made = await testApp.call('POST', '/v1/_admin/projects', { body: { id }, token: adminKey });
      assert.equal(made.status, 201, made.text);
      for (const body of collections) {
        const path = `/v1/_admin/projects/${id}/collections`;
        const reply = await testApp.call('POST', path, { body, token: adminKey });
        assert.equal(reply.status, 201, reply.text);
      }
    },
    async work() {
      const { signal } = new AbortController();
      const { mail: transport } = options;
      if (transport) await sendMails({ catalog, transport, publicUrl, log, now }, signal);
      await new Departures(catalog, now).finishAll(signal);
    },
    async reopen() {
      await backups.close();
      await catalog.close();
      ({ catalog, backups, app } = open());
    },
    async close() {
      await backups.close();
      await catalog.close();
      if (!options.backupFolder) await rm(backupFolder, { recursive: true, force: true });
      if (!options.storage) await storage.remove();
    },
  };
  return testApp;
}
