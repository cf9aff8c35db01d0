import { open } from 'node:fs/promises';
import { type Asked, ServerTimesReader, waitAlone } from './server-times.ts';

/**
 * A process that asks a server for small things evenly and notes how long each takes. It has a process of its own, so that
 * the making and reading of large requests does not delay what it measures. Each line on its input begins a new window and
 * prints the longest waits of the one before.
 */
export interface ProberSetup {
  readonly base: string;
  readonly headers: Record<string, string>;
  readonly record: string;
  readonly creation: string;
  readonly account: string;
  /** The server's process, of whose waits those for a processor do not count; without it they do. */
  readonly server?: number;
  /** What its sessions of PostgreSQL are known by. */
  readonly database?: string | undefined;
  /** A file on the disk that the server writes to. */
  readonly file: string;
}

const setup = JSON.parse(process.argv[2] ?? '{}') as ProberSetup;
const { base, headers, record, creation, account } = setup;
const post = (path: string, body: string) => fetch(`${base}${path}`, { method: 'POST', headers, body });

/** Milliseconds between two of a kind. A sign-in takes some 20 ms of a core, which others need too. */
const asks: Record<Asked, { pause: number; ask: () => Promise<Response> }> = {
  healthz: { pause: 10, ask: () => fetch(`${base}/healthz`) },
  view: { pause: 10, ask: () => fetch(`${base}/v1/p/items/${record}`) },
  page: { pause: 10, ask: () => fetch(`${base}/v1/p/items?page=2`) },
  create: { pause: 10, ask: () => post('/v1/p/items', creation) },
  signIn: { pause: 150, ask: () => post('/v1/p/_auth/login', account) },
};

let longest: Record<string, number> = {};
const note = (kind: string, wait: number) => {
  longest[kind] = Math.max(longest[kind] ?? 0, wait);
};

const underWay = new Map<string, Promise<void>>();

/** Milliseconds. What takes no longer is not looked into. */
const short = 30;
const reader = setup.server === undefined ? undefined : new ServerTimesReader(setup.server, setup.database);
const own = new ServerTimesReader(process.pid);
const look = () => reader && { server: reader.read(), own: own.read().serving.delayed };
let lately = look();
if (reader) setInterval(() => (lately = look()), 25);

/** Without what the machine's other users had of it. */
function alone(kind: Asked, wait: number, before: typeof lately): number {
  const now = wait < short ? undefined : look();
  if (!before || !now) return wait;
  return Math.max(short, waitAlone(kind, wait - (now.own - before.own), before.server, now.server));
}

async function measure(kind: Asked, ask: () => Promise<Response>): Promise<void> {
  const before = lately;
  const start = performance.now();
  let reply = await ask();
  let text = await reply.text();
  // Nothing was done and it may be sent again: what that takes counts too.
  for (let tries = 0; reply.status === 503 && tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    reply = await ask();
    text = await reply.text();
  }
  if (!reply.ok) throw new Error(`${kind}: ${reply.status} ${text.slice(0, 300)}`);
  note(kind, alone(kind, performance.now() - start, before));
}

for (const kind of Object.keys(asks) as Asked[]) {
  const { pause, ask } = asks[kind];
  void (async () => {
    for (;;) {
      const measured = measure(kind, ask);
      underWay.set(kind, measured);
      await measured;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  })();
}

/** How long the machine kept this process from doing what was due. */
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  note('machine', now - last - 5);
  last = now;
}, 5);

/** How long the disk takes for next to nothing. */
void (async () => {
  const file = await open(setup.file, 'w');
  for (;;) {
    const start = performance.now();
    await file.write('x', 0);
    await file.sync();
    note('disk', performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
})();

process.stdin.on('data', async () => {
  await Promise.all(underWay.values()); // what has begun in this window counts for it
  console.log(JSON.stringify(longest));
  longest = {};
});
process.stdin.on('end', () => process.exit());
