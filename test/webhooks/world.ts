import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Verifier } from 'standardwebhooks';
import { readNetworks } from '../../src/access/networks.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { changeLog } from '../../src/webhooks/change-log.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';
import { type AppOptions, adminKey, type Reply, startApp, type TestApp } from '../harness.ts';
import { certificate, type Received, type Receiver, startReceiver } from './receiver.ts';

const sending = {
  allowed: readNetworks('127.0.0.0/8'),
  ca: certificate,
  timeout: 30_000, // nobody is late who only waits for the machine
};

/** An app, someone who is sent webhooks, and a clock that both can be put forward by. */
export interface World {
  readonly app: TestApp;
  readonly receiver: Receiver;
  admin(verb: string, path: string, body?: JsonObject): Promise<Reply>;
  create(collection: string, body: JsonObject): Promise<string>;
  update(collection: string, id: string, body: JsonObject): Promise<void>;
  delete(collection: string, id: string): Promise<void>;
  /** Its id and secret. */
  hook(settings?: JsonObject): Promise<{ id: string; secret: string }>;
  deliveries(id: string): Promise<Record<string, unknown>[]>;
  /** Sends until it holds. */
  sends(until: () => boolean | Promise<boolean>, options?: { mostTogether?: number }): Promise<void>;
  /** Sends for so many milliseconds. */
  sendsFor(ms: number): Promise<void>;
  /** Puts the clock forward. */
  later(ms: number): void;
  close(): Promise<void>;
}

const field = { type: 'text' } as const;

export async function startWorld(options: AppOptions = {}): Promise<World> {
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const receiver = await startReceiver();
  const app = await startApp({ clock: now, ...options, now, webhooks: sending });
  const collection = (id: string) => ({
    id,
    fields: { title: field, note: field },
    api: { access: 'public' },
  });
  await app.project('shop', collection('products'), collection('brands'));
  const call = async (verb: string, path: string, status: number, body?: JsonObject) => {
    const reply = await app.call(verb, path, { body, token: adminKey });
    assert.equal(reply.status, status, reply.text);
    return reply;
  };
  const run = async (until: (stop: AbortController) => Promise<void>, options = {}) => {
    const stop = new AbortController();
    const running = new WebhookSender({
      ...options,
      ...{ catalog: app.catalog(), now, sending, changes: changeLog },
      log: { info() {}, error: (_message, error) => void app.errors.push(error) },
    }).run(stop.signal);
    await until(stop).finally(() => stop.abort());
    await running;
  };

  return {
    app,
    receiver,
    admin: (verb, path, body) =>
      app.call(verb, `/v1/_admin/projects/shop/webhooks${path}`, { body, token: adminKey }),
    async create(name, body) {
      return String((await call('POST', `/v1/shop/${name}`, 201, body)).body.result._id);
    },
    async update(name, id, body) {
      await call('PATCH', `/v1/shop/${name}/${id}`, 200, body);
    },
    async delete(name, id) {
      await call('DELETE', `/v1/shop/${name}/${id}`, 200);
    },
    async hook(settings = {}) {
      const url = `https://localhost:${receiver.port}/hook`;
      const path = '/v1/_admin/projects/shop/webhooks';
      const { result } = (await call('POST', path, 201, { name: 'a receiver', url, ...settings })).body;
      return { id: String(result._id), secret: String(result.secret) };
    },
    async deliveries(id) {
      const path = `/v1/_admin/projects/shop/webhooks/${id}/deliveries?perPage=1000`;
      return (await call('GET', path, 200)).body.result.found as Record<string, unknown>[];
    },
    sends: (until, options) =>
      run(async () => {
        for (let tries = 0; !(await until()); tries++) {
          assert.ok(tries < 12_000, 'it did not come about');
          await sleep(20);
        }
      }, options),
    sendsFor: (ms) => run(() => sleep(ms)),
    later(ms) {
      ahead += ms;
    },
    async close() {
      await receiver.close();
      await app.close();
    },
  };
}

export interface Sent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly position: string;
    readonly collection: string;
    readonly _id: string | null;
    readonly record: Record<string, unknown> | null;
  };
}

export const sent = ({ body }: Received) => JSON.parse(body) as Sent;

/** What was received, verified by somebody else's code. Throws where the signature is not good. */
export function verified(secret: string, received: Received): Sent {
  return new Verifier(secret).verify(received.body, received.headers) as Sent;
}
