import assert from 'node:assert/strict';
import { appendFile, chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { definition } from '../support.ts';
import { NodeProcess } from './node-process.ts';
import { made, until, well } from './nodes.ts';
import { findMissing, Page } from './page.ts';

describe('docs/from-one-machine-to-many.md, as it is written', () => {
  const missing = findMissing();
  if (missing !== undefined) {
    const what = `THE PAGE WAS NOT TRIED: there is no ${missing}`;
    it(what, () => console.warn(what));
    return;
  }

  let page: Page;
  let node: NodeProcess | undefined;
  before(async () => {
    page = await Page.open();
  });
  after(async () => {
    await node?.kill('SIGTERM');
    await page.close();
  });

  const replication = async (on: 1 | 2) => page.run(page.block('FROM pg_stat_replication', on));
  const write = (name: string) => (node as NodeProcess).send('POST', '/v1/p/notes', { body: { name } });

  it('makes a primary', async () => {
    const secret = 'secret-postgres\n';
    await page.run(page.block('initdb --pgdata=db1'), { input: secret + secret });
    const settings = `${page.block('archive_command =')}\nunix_socket_directories = ''\n`;
    await appendFile(join(page.directory, 'db1/postgresql.conf'), settings);
    await appendFile(join(page.directory, 'db1/pg_hba.conf'), page.block('host replication replicator'));
    await writeFile(join(page.directory, 'archive.sh'), page.block('to=/path/to/archive'));
    await chmod(join(page.directory, 'archive.sh'), 0o755);
    await mkdir(join(page.directory, 'archive'), { mode: 0o777 });
    await chmod(join(page.directory, 'archive'), 0o777);
    await page.run(page.block('CREATE ROLE vitrine'));
  });

  it('makes a standby, which shows up', async () => {
    await page.run(page.block('host=db1 user=replicator'), { superuser: false });
    await until(
      'the standby streams',
      async () => /db2 +\| streaming \| async/.test(await replication(1)),
      90_000,
    );
  });

  it('has a node find the primary of the two', async () => {
    const [, address = ''] = /VITRINE_DATABASE='(.*)'/.exec(page.block('export VITRINE_DATABASE')) ?? [];
    node = await NodeProcess.start(address);
    await made(node, '/v1/_admin/projects', { id: 'p' });
    const notes = { ...definition('notes', { name: { type: 'text' } }), api: { access: 'public' } };
    await made(node, '/v1/_admin/projects/p/collections', notes);
    well(await write('first'));
  });

  it('backs up and restores', async () => {
    const environment = 'export PGPASSWORD=secret-vitrine;';
    await page.run(`${environment} ${page.block('pg_dump -h db1')}`);
    const [create = '', restore = ''] = page.block('CREATE DATABASE again').trim().split('\n');
    await page.run(create);
    await page.run(`${environment} ${restore}`);
    await page.run(`export PGPASSWORD=secret-replicator; ${page.block('pg_basebackup -h db1')}`);
    const counted = await page.run(
      `psql -h localhost -p ${page.ports[0]} -U postgres -At -c 'SELECT id FROM vitrine.projects' again`,
    );
    assert.equal(counted.trim(), 'p');
  });

  it('waits for the standby where it is told to', async () => {
    await page.run(page.block('synchronous_standby_names = '));
    await until(
      'it is synchronous',
      async () => /db2 +\| streaming \| quorum/.test(await replication(1)),
      90_000,
    );
    well(await write('second'));
  });

  it('goes on when the primary is lost, and makes the old one the standby', async () => {
    await page.run('pg_ctl --pgdata=db1 stop -m immediate');
    await page.run(page.block('pg_ctl --pgdata=db2 promote', 2));
    await page.run(
      page.block('host=db2 user=replicator', 2).replace(/^/, 'export PGPASSWORD=secret-replicator\n'),
    );
    await until(
      'the old primary follows',
      async () => /db1 +\| streaming/.test(await replication(2)),
      90_000,
    );
    await until('writes are answered', async () => (await write('third')).status === 201, 90_000);
    const list = await (node as NodeProcess).send('GET', '/v1/p/notes?perPage=1000');
    const names = (well(list).found as { name: string }[]).map(({ name }) => name);
    for (const name of ['first', 'second', 'third']) assert.ok(names.includes(name), name);
  });
});
