import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { freePort, freshDatabase, type PostgresServer, startPostgres } from '../postgres-server.ts';
import { definition, pause } from '../support.ts';
import { type Balancer, hasNginx, startNginx } from './nginx.ts';
import { NodeProcess } from './node-process.ts';
import { made } from './nodes.ts';

/** 20,000 are what was promised; fewer where every test is to be done in time, and as many as come in half a minute where it is busy. */
const most = Number(process.env.VITRINE_REQUESTS ?? 4_000);
const longest = process.env.VITRINE_REQUESTS === undefined ? 30_000 : Number.POSITIVE_INFINITY;

let server: PostgresServer;
let database: string;
let ports: number[];
let nodes: NodeProcess[];
let balancer: Balancer;

const start = (port: number) => NodeProcess.start(database, '--port', String(port), '--drain', '1');

interface Outcome {
  readonly what: string;
  readonly status: number;
}

function send(method: 'GET' | 'POST', path: string, body = ''): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers = body === '' ? {} : { 'content-type': 'application/json' };
    const sent = request(
      `${balancer.base}${path}`,
      { method, headers, agent: false },
      (answer: IncomingMessage) => {
        let text = '';
        answer.on('data', (part) => (text += part));
        answer.on('end', () =>
          resolve({ what: `${method} ${answer.statusCode} ${text}`, status: answer.statusCode ?? 0 }),
        );
        answer.on('error', (error) => resolve({ what: `${method} ${error}`, status: 0 }));
      },
    );
    sent.on('error', (error) => resolve({ what: `${method} ${error}`, status: 0 }));
    sent.end(body);
  });
}

class Load {
  readonly failed: string[] = [];
  sent = 0;
  created = 0;
  readonly #first: number;
  readonly #clients: Promise<unknown>;
  #over = false;

  /** Eight clients who read and write. `first`: numbers from here on are theirs. */
  constructor(first: number) {
    this.#first = first;
    this.#clients = Promise.all(Array.from({ length: 8 }, () => this.#client()));
  }

  end(): Promise<unknown> {
    this.#over = true;
    return this.#clients;
  }

  async #client(): Promise<void> {
    while (!this.#over) {
      this.sent += 1;
      const writes = this.sent % 2 === 0;
      const { status, what } = writes
        ? await send('POST', '/v1/p/notes', JSON.stringify({ n: this.#first + this.sent }))
        : await send('GET', '/v1/p/notes?perPage=5');
      if (status === 201) this.created += 1;
      if (status !== (writes ? 201 : 200)) this.failed.push(what);
    }
  }
}

/** A stream that is open at a node until it stops; resolves once it is there, and tells then when it has ended. */
function follow(port: number): Promise<{ readonly over: Promise<unknown> }> {
  return new Promise((resolve, reject) => {
    const options = { headers: { accept: 'text/event-stream' }, agent: false };
    request(`http://127.0.0.1:${port}/v1/p/_changes?after=now`, options, (answer) => {
      assert.equal(answer.statusCode, 200);
      answer.resume();
      resolve({ over: new Promise((ended) => answer.on('close', ended)) });
    })
      .on('error', reject)
      .end();
  });
}

async function restart(index: number, detour: boolean): Promise<void> {
  const port = ports[index] as number;
  if (detour) await balancer.leaveOut([port]);
  const { over } = await follow(port);
  assert.equal(await nodes[index]?.kill('SIGTERM'), 0);
  await over;
  nodes[index] = await start(port);
  if (detour) await balancer.leaveOut([]);
  else await pause(2_100); // as long as nginx leaves out a node that it could not reach
}

describe('a rolling restart behind nginx, with the file of the page', () => {
  if (!hasNginx) {
    const how = 'NGINX IS NOT INSTALLED (on Debian: apt-get install nginx-light)';
    it(`was not tried: ${how}`, () => console.warn(how));
    return;
  }
  before(async () => {
    server = await startPostgres();
    database = (await freshDatabase(server.url)).url;
    ports = [await freePort(), await freePort(), await freePort()];
    nodes = await Promise.all(ports.map(start));
    const [first] = nodes as [NodeProcess];
    await made(first, '/v1/_admin/projects', { id: 'p' });
    const notes = {
      ...definition('notes', { n: { type: 'number', unique: true } }),
      api: { access: 'public' },
    };
    await made(first, '/v1/_admin/projects/p/collections', notes);
    balancer = await startNginx(ports);
  });
  after(async () => {
    await balancer.close();
    await Promise.all(nodes.map((node) => node.kill('SIGTERM')));
    await server.remove();
  });

  for (const detour of [true, false]) {
    const what = detour
      ? 'loses no request with the detour through its file'
      : 'loses no read without it, and a creation at most in the moment when a node stops listening';
    it(what, async () => {
      const load = new Load(detour ? 0 : 1_000_000);
      const end = performance.now() + longest;
      const isEnough = () => load.sent >= most || performance.now() > end;
      let restarts = 0;
      for (; restarts < 3 || !isEnough(); restarts++) await restart(restarts % 3, detour);
      await load.end();
      const told = `${load.failed.join()}: ${load.failed.length} of ${load.sent}`;
      const cut = detour ? [] : load.failed.filter((failed) => failed.startsWith('POST 503 {"ok":false'));
      assert.equal(load.failed.length, cut.length, told);
      assert.ok(cut.length <= restarts, told);
      const kept = await send('GET', `/v1/p/notes?n>=${detour ? 0 : 1_000_000}&perPage=1`);
      assert.match(kept.what, new RegExp(`"total":${load.created}\\b`));
    });
  }
});
