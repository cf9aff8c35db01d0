import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkFiles } from '../../src/commands/doctor/files.ts';
import type { Finding } from '../../src/commands/doctor/finding.ts';
import { checkBackups } from '../../src/commands/doctor/services.ts';
import { checkClock, checkLimits } from '../../src/commands/doctor/system.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { SqliteFault } from '../../src/store/engines/sqlite/connection/driver.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { defaultAuth } from '../../src/store/project-record.ts';
import { vitrine } from '../auth/process.ts';
import { rowsOf, schemaOf } from '../postgres/nodes.ts';
import { startStorage, testEngine } from '../storage.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-doctor-'));
const good = join(base, 'good');
const { sqlite } = await loadRuntime();

interface Seen {
  readonly code: number | null;
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

async function examine(...words: string[]): Promise<Seen> {
  const run = vitrine(['doctor', '--json', ...words]);
  const code = await run.exit;
  return { code, ...(JSON.parse(run.output()) as { ok: boolean; findings: Finding[] }) };
}

let copies = 0;
/** A copy of a good directory, with something done to it. */
function spoilt(spoil: (directory: string) => void): string {
  copies += 1;
  const directory = join(base, `copy-${copies}`);
  cpSync(good, directory, { recursive: true });
  for (const folder of ['.', 'projects']) chmodSync(join(directory, folder), 0o700); // Node copies no modes of folders
  spoil(directory);
  return directory;
}

function exec(path: string, text: string): void {
  const connection = sqlite.open(path);
  connection.exec(text);
  connection.close();
}

/** It is found, with something to do, and ends with code 1 where it is a fault. */
async function finds(
  words: readonly string[],
  status: string,
  check: string,
  message: RegExp,
  advice: RegExp,
) {
  const seen = await examine(...words);
  const found = seen.findings.find((one) => one.check === check && one.status === status);
  assert.ok(found, JSON.stringify(seen.findings));
  assert.match(found.message, message);
  assert.match(found.advice ?? '', advice);
  if (status === 'fault') assert.deepEqual([seen.code, seen.ok], [1, false]);
  else assert.deepEqual([seen.code, seen.ok], [0, true], JSON.stringify(seen.findings));
}

describe('vitrine doctor', () => {
  before(async () => {
    const engine = openSqliteEngine(sqlite, good);
    const auth = { registration: 'open', accessTokenMinutes: 15, refreshTokenDays: 30 } as never;
    await engine.createProject({ id: 'shop', name: 'Shop', auth, created: Date.now(), updated: Date.now() });
    await engine.close();
  });
  after(() => rmSync(base, { recursive: true, force: true }));

  it('finds nothing wrong with a good directory, and says so to a person', async () => {
    const seen = await examine('--data', good);
    assert.deepEqual([seen.code, seen.ok], [0, true], JSON.stringify(seen.findings));
    const run = vitrine(['doctor', '--data', good]);
    assert.equal(await run.exit, 0);
    assert.match(run.output(), /^ok {7}files {13}2 files, all whole$/m);
  });

  it('finds what is wrong with the files', async () => {
    await finds(['--data', join(base, 'nowhere')], 'fault', 'data', /no data/, /--data/);
    const newer = spoilt((directory) =>
      exec(join(directory, 'projects/shop.db'), 'PRAGMA user_version = 99'),
    );
    await finds(['--data', newer], 'fault', 'format', /format 99.*newer/, /upgrade Vitrine/);
    const broken = spoilt((directory) => {
      const file = openSync(join(directory, 'projects/shop.db'), 'r+');
      for (let page = 2; page < 30; page += 1) writeSync(file, randomBytes(4096), 0, 4096, page * 4096);
    });
    await finds(['--data', broken], 'fault', 'integrity', /shop\.db/, /backup/);
    const other = spoilt((directory) => writeFileSync(join(directory, 'instance.db'), randomBytes(9000)));
    await finds(['--data', other], 'fault', 'integrity', /instance\.db/, /backup/);
    const foreign = spoilt((directory) =>
      exec(join(directory, 'projects/shop.db'), 'PRAGMA application_id = 7'),
    );
    await finds(['--data', foreign], 'fault', 'format', /not a file of Vitrine/, /--data/);
    const missing = spoilt((directory) => rmSync(join(directory, 'projects/shop.db')));
    await finds(['--data', missing], 'fault', 'projects', /shop has no file/, /backup/);
    const extra = spoilt((directory) =>
      cpSync(join(directory, 'projects/shop.db'), join(directory, 'projects/lost.db')),
    );
    await finds(['--data', extra], 'warning', 'projects', /lost\.db is of no project/, /remove/);
  });

  it('does not advise to give up a file that only a full disk keeps it from reading', () => {
    const full = {
      open(): never {
        throw new SqliteFault(4874, 'disk I/O error', undefined);
      },
    };
    const [found] = checkFiles(full, good, false);
    assert.match(found?.message ?? '', /instance\.db can't be read/);
    assert.match(found?.advice ?? '', /free space/);
    assert.doesNotMatch(found?.advice ?? '', /backup/);
  });

  it('finds large logs and files that others may read', async () => {
    const log = spoilt((directory) => {
      const path = join(directory, 'projects/shop.db-wal');
      writeFileSync(path, '', { mode: 0o600 });
      truncateSync(path, 300_000_000);
    });
    await finds(['--data', log], 'warning', 'write-ahead log', /300\.0 MB/, /restart/);
    const open = spoilt((directory) => chmodSync(join(directory, 'instance.db'), 0o644));
    await finds(['--data', open], 'warning', 'file modes', /instance\.db \(644\)/, /chmod/);
    if (process.geteuid?.() !== 0) return console.log('NOT TRIED: a file of somebody else needs root');
    const theirs = spoilt((directory) => {
      const path = join(directory, 'projects/shop.db');
      chmodSync(path, 0o644);
      chownSync(path, 4321, 4321);
    });
    await finds(['--data', theirs], 'fault', 'file modes', /shop\.db belongs to user 4321/, /chown/);
  });

  it('finds records that were made by a clock that was ahead', async () => {
    const ahead = spoilt((directory) =>
      exec(
        join(directory, 'projects/shop.db'),
        `INSERT INTO counters (collection, seq, created, total, version) VALUES (99, 1, ${Date.UTC(2099)}, 1, 1)`,
      ),
    );
    await finds(['--data', ahead], 'warning', 'clock', /the data is of 2099-01-01/, /was ahead/);
  });

  it('finds a clock that goes wrong, and limits that are low', () => {
    const now = Date.UTC(2026, 11, 1);
    assert.equal(checkClock(now, now - 5_000).status, 'ok');
    assert.equal(checkClock(0, undefined).status, 'fault');
    assert.equal(checkClock(now, now + 3_600_000).status, 'warning');
    assert.equal(checkClock(now, undefined, now + 5_000).status, 'warning');
    assert.equal(checkClock(now, undefined, now - 100_000).status, 'fault');
    assert.equal(checkClock(now, now + 100_000, now + 100_000).status, 'fault');
    const limits = (files: Record<string, string>) =>
      checkLimits({ read: (path) => files[path] }).map(({ status }) => status);
    assert.deepEqual(limits({}), ['ok']);
    assert.deepEqual(limits({ '/proc/self/limits': 'Max open files   1024   4096   files\n' }), ['warning']);
    assert.deepEqual(limits({ '/sys/fs/cgroup/memory.max': '64000000\n' }), ['warning']);
    assert.deepEqual(limits({ '/sys/fs/cgroup/memory.max': 'max\n' }), ['ok']);
  });

  it('finds a mail server that does not answer, and what --mail needs', async () => {
    const server = createServer((socket) => void socket.end('220 mail.example ESMTP\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const rest = ['--mail-from', 'a@example.com', '--public-url', 'https://app.example', '--data', good];
    const seen = await examine('--mail', `smtp://127.0.0.1:${port}`, ...rest);
    assert.equal(seen.findings.find(({ check }) => check === 'mail')?.status, 'ok');
    server.close();
    const silent = createServer((socket) => void socket.end());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = `smtp://127.0.0.1:${(silent.address() as { port: number }).port}`;
    await finds(['--mail', address, ...rest], 'fault', 'mail', /closes the connection/, /firewall/);
    silent.close();
    await finds(['--mail', 'smtp://127.0.0.1:1', ...rest], 'fault', 'mail', /can't be reached/, /firewall/);
    await finds(['--mail', 'file:/nowhere', '--data', good], 'fault', 'mail', /--mail-from/, /sender/);
  });

  it('finds backups that are missing, old or out of reach', async () => {
    await finds(['--data', good], 'warning', 'backups', /none/, /--backup-every/);
    const now = Date.now();
    const day = 24 * 3_600_000;
    const id = (time: number) => `${time.toString(16).padStart(12, '0')}70008000000000000000`;
    const list = (time: number) => ({ list: async () => [{ project: 'shop', id: id(time) }] });
    assert.equal((await checkBackups(list(now - day), undefined, now)).status, 'ok');
    assert.equal((await checkBackups(list(now - 9 * day), undefined, now)).status, 'warning');
    assert.equal((await checkBackups(list(now - day), 6 * 3_600_000, now)).status, 'warning');
    const file = join(base, 'a-file');
    mkdirSync(base, { recursive: true });
    writeFileSync(file, '');
    const at = join(file, 'below');
    await finds(['--data', good, '--backup-to', at], 'fault', 'backups', /can't be listed/, /--backup-to/);
  });

  it('looks at a PostgreSQL without changing it', async () => {
    await finds(
      ['--database', 'postgres://x:y@127.0.0.1:1/z'],
      'fault',
      'database',
      /can't be used/,
      /pg_hba/,
    );
    if (testEngine !== 'postgres') return;
    const storage = await startStorage();
    const fresh = await examine(...storage.flags);
    // The server of the tests is not to wait for disks.
    const faults = fresh.findings.filter(({ status }) => status === 'fault');
    assert.deepEqual(
      faults.filter(({ check }) => check !== 'durability'),
      [],
    );
    assert.ok(fresh.findings.some(({ message }) => message === 'nothing of Vitrine is in it yet'));
    const engine = storage.open();
    await engine.createProject({ id: 'p', name: 'p', auth: defaultAuth, created: 1, updated: 1 });
    await engine.close();
    const [flag = '', address = ''] = storage.flags;
    const ahead = `INSERT INTO ${await schemaOf(address)}.counters VALUES (99, 1, 1, ${Date.UTC(2099)}, 1)`;
    await rowsOf(address, ahead);
    const made = await examine(...storage.flags);
    const said = (of: string) => made.findings.find(({ check }) => check === of)?.message ?? '';
    assert.match(said('format'), /^\d+$/);
    assert.match(said('clock'), /the data is of 2099-01-01/);
    const readOnly = `${address}?default_transaction_read_only=on`;
    await finds([flag, readOnly], 'fault', 'database', /nothing can be written/, /set it to off/);
    await storage.remove();
  });
});
