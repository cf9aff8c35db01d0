import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../children.ts';
import { freePort } from '../postgres-server.ts';
import { workersOf } from '../workers/processes.ts';
import { until } from './nodes.ts';

/** The balancer of docs/from-one-machine-to-many.md, as that page has it. */
export interface Balancer {
  readonly base: string;
  /** Writes `down` behind these nodes, and has the file read again. Resolves once nobody goes by the one before for new connections. */
  leaveOut(ports: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

export const hasNginx = spawnSync('nginx', ['-v']).error === undefined;

const page = join(dirname(fileURLToPath(import.meta.url)), '../../docs/from-one-machine-to-many.md');

/** The page's own file, with ports of this machine in place of hosts. */
async function documented(ports: readonly number[], down: readonly number[], port: number): Promise<string> {
  const [, block = ''] = /```nginx\n(.*?)```/s.exec(await readFile(page, 'utf8')) ?? [];
  const servers = ports.map((node, index) => [`server node${index + 1}:8090`, node] as const);
  let file = block.replace('listen 80;', `listen 127.0.0.1:${port};`);
  for (const [written, node] of servers) {
    if (!file.includes(written)) throw new Error(`the page has no '${written}'`);
    file = file.replace(new RegExp(`${written}([^;]*);`), (_, more: string) => {
      return `server 127.0.0.1:${node}${more}${down.includes(node) ? ' down' : ''};`;
    });
  }
  return file;
}

export async function startNginx(ports: readonly number[]): Promise<Balancer> {
  const directory = await mkdtemp(join(tmpdir(), 'vitrine-nginx-'));
  const file = join(directory, 'nginx.conf');
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join('\n');
  const write = async (down: readonly number[]) =>
    writeFile(
      file,
      `worker_processes 1; daemon off; pid ${directory}/pid; error_log ${directory}/error.log;
       events { worker_connections 1024; }
       http { access_log off; ${temporary}\n${await documented(ports, down, port)} }`,
    );
  await write([]);
  const words = ['-c', file, '-p', directory, '-e', join(directory, 'error.log')];
  const child = startChild('nginx', words);
  const over = new Promise((resolve) => child.once('close', resolve));
  const base = `http://127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt++) {
    const up = await fetch(`${base}/healthz`).catch(() => undefined);
    if (up?.ok) break;
    if (attempt === 200) throw new Error(await readFile(join(directory, 'error.log'), 'utf8'));
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  const accepting = () => workersOf(child.pid ?? 0).filter((pid) => !isEnding(pid));
  return {
    base,
    async leaveOut(down) {
      const before = accepting();
      await write(down);
      child.kill('SIGHUP'); // what `nginx -s reload` does
      const isRead = () => accepting().length > 0 && !accepting().some((pid) => before.includes(pid));
      await until('nginx has read its file', isRead, 60_000);
    },
    async close() {
      child.kill('SIGTERM');
      await over;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Whether a process of nginx accepts no connection any more, by what it calls itself. */
function isEnding(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('is shutting down');
  } catch {
    return true;
  }
}
