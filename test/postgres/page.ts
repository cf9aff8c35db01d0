import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../children.ts';
import { freePort, unprivileged } from '../postgres-server.ts';

const file = join(dirname(fileURLToPath(import.meta.url)), '../../docs/from-one-machine-to-many.md');

/** Where Debian keeps those of PostgreSQL that are not for everybody. */
const environment = {
  ...process.env,
  PATH: [process.env.PATH, ...globSync('/usr/lib/postgresql/*/bin')].join(':'),
};

/** What the page needs that npm does not bring; undefined where all is there. */
export function findMissing(): string | undefined {
  const tools = ['initdb', 'pg_ctl', 'psql', 'pg_basebackup', 'pg_dump', 'pg_restore'];
  const missing = tools.filter(
    (tool) => spawnSync(tool, ['--version'], { env: environment }).error !== undefined,
  );
  if (missing.length > 0) return `${missing.join(', ')} (on Debian: apt-get install postgresql)`;
  return outside() === undefined ? 'an address beside 127.0.0.1' : undefined;
}

/** An address by which this machine is not itself to PostgreSQL. */
function outside(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

/** The page's commands, with two ports of this machine in place of `db1` and `db2`. */
export class Page {
  readonly #blocks: readonly string[];
  readonly directory: string;
  readonly ports: readonly [number, number];
  readonly #runner: { uid: number; gid: number } | undefined;

  constructor(directory: string, ports: [number, number], runner?: { uid: number; gid: number }) {
    this.#blocks = [...readFileSync(file, 'utf8').matchAll(/^```\w+\n(.*?)^```/gms)].map(
      ([, block = '']) => block,
    );
    this.directory = directory;
    this.ports = ports;
    this.#runner = runner;
  }

  static async open(): Promise<Page> {
    const directory = await mkdtemp(join(tmpdir(), 'vitrine-page-'));
    const runner = await unprivileged();
    if (runner) await chown(directory, runner.uid, runner.gid);
    return new Page(directory, [await freePort(), await freePort()], runner);
  }

  /** The block with these words in it, for this machine. `on`: where it is run. */
  block(words: string, on: 1 | 2 = 1): string {
    const found = this.#blocks.filter((block) => block.includes(words));
    if (found.length !== 1) throw new Error(`${found.length} blocks of the page have '${words}'`);
    return this.#placed(found[0] ?? '', on);
  }

  /** As the user that PostgreSQL runs as; what it printed. */
  async run(script: string, { input = '', superuser = true } = {}): Promise<string> {
    const env = { ...environment, ...(superuser && { PGPASSWORD: 'secret-postgres' }), LC_ALL: 'C' };
    const options = { cwd: this.directory, env, detached: true, ...this.#runner };
    const child = startChild('sh', ['-ec', script], options);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part));
    child.stdin.end(input);
    const [code] = await once(child, 'exit'); // a server that it started keeps its output open
    if (code !== 0) throw new Error(`${script}\n${output}`);
    return output;
  }

  async close(): Promise<void> {
    for (const data of ['db1', 'db2']) {
      await this.run(`pg_ctl --pgdata=${data} stop -m immediate`).catch(() => {}); // it may not run
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  #placed(text: string, on: 1 | 2): string {
    const [first, second] = this.ports;
    const here = on === 1 ? first : second;
    const address = outside() ?? '';
    return text
      .replaceAll('10.0.0.0/24', `${address}/32`)
      .replaceAll('/path/to', this.directory)
      .replace(/(?<=@)db1:5432,db2:5432/, `${address}:${first},${address}:${second}`)
      .replace(/host=db([12])/g, (_, number) => `host=${address} port=${number === '1' ? first : second}`)
      .replace(/-h db1/g, `-h ${address} -p ${here}`)
      .replace(/-h localhost/g, `-h localhost -p ${here}`)
      .replace(/pg_ctl --pgdata=db([12]) (?=.*start$)/gm, (start, number) => {
        return `${start}-o '-p ${number === '1' ? first : second}' `;
      });
  }
}
