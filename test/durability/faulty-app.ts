import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readNetworks } from '../../src/access/networks.ts';
import { digest } from '../../src/access/secret.ts';
import { SignInLimit } from '../../src/access/sign-in-limit.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import { createApp } from '../../src/http/app.ts';
import { defaultLimits } from '../../src/http/services.ts';
import type { Json } from '../../src/model/json.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { room } from '../storage.ts';
import type { Answer } from './client.ts';
import { FaultyDriver } from './faulty.ts';
import { definitions } from './model.ts';

const adminKey = 'administrators-key';

export interface FaultyApp {
  readonly driver: FaultyDriver;
  /** Of the project `p`. */
  readonly file: string;
  /** What was logged as an error. */
  readonly errors: unknown[];
  /** What else was. */
  readonly told: string[];
  call(verb: string, path: string, body?: Json, key?: string): Promise<Answer>;
  /** Closes everything and opens it again, with no project open yet. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** The whole product, without a socket, over a driver that can be made to fail; with one project `p`. */
export async function startFaultyApp(): Promise<FaultyApp> {
  const driver = new FaultyDriver((await loadRuntime()).sqlite);
  const directory = await mkdtemp(join(room, 'vitrine-fault-'));
  const errors: unknown[] = [];
  const told: string[] = [];
  const open = () => {
    const catalog = new Catalog(openSqliteEngine(driver, directory), Date.now);
    const app = createApp({
      catalog,
      log: {
        info: (message) => void told.push(message),
        error: (_message, error) => void errors.push(error),
      },
      now: Date.now,
      adminKeyDigest: digest(adminKey),
      signInLimit: new SignInLimit(),
      rateLimit: undefined,
      proxies: readNetworks(''),
      limits: defaultLimits,
    });
    return { catalog, app };
  };
  let { catalog, app } = open();
  const faulty: FaultyApp = {
    driver,
    file: join(directory, 'projects', 'p.db'),
    errors,
    told,
    async call(verb, path, body, key) {
      const request = new Request(`http://vitrine.test${path}`, {
        method: verb,
        headers: {
          authorization: `Bearer ${adminKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const response = await app.fetch(request, () => '127.0.0.1');
      return {
        status: response.status,
        text: await response.text(),
        replayed: response.headers.get('idempotency-replayed') === 'true',
        retryAfter: response.headers.get('retry-after'),
      };
    },
    async reopen() {
      await catalog.close();
      ({ catalog, app } = open());
    },
    async close() {
      await catalog.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  const made = await faulty.call('POST', '/v1/_admin/projects', { id: 'p' });
  assert.equal(made.status, 201, made.text);
  for (const body of definitions()) {
    const reply = await faulty.call('POST', '/v1/_admin/projects/p/collections', body);
    assert.equal(reply.status, 201, reply.text);
  }
  return faulty;
}
