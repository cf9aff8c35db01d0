import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Process, printed, serving, vitrine } from '../auth/process.ts';

async function start(flags: readonly string[], environment: Record<string, string> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'vitrine-start-'));
  const server = vitrine(['serve', '--port', '0', '--data', directory, ...flags], { environment });
  return { server, remove: () => rm(directory, { recursive: true, force: true }) };
}

async function stop({ child, exit }: Process): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await exit, 0);
}

describe('what is printed at the start', () => {
  for (const [host, shown] of [
    ['0.0.0.0', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['::1', '[::1]'],
  ] as const) {
    it(`can be opened with --host ${host}`, async () => {
      const { server, remove } = await start(['--host', host]);
      const base = await serving(server);
      assert.ok(base.startsWith(`http://${shown}:`), base);
      assert.equal((await fetch(`${base}/healthz`)).status, 200);
      const link = await printed(server, /(http:\S+\/_console\/setup#\S+)/);
      assert.equal(new URL(link).origin, new URL(base).origin);
      await stop(server);
      await remove();
    });
  }
});

describe('VITRINE_ADMIN_KEY', () => {
  it('is refused with one line where it is short', async () => {
    for (const key of ['x', 'fifteen-letters']) {
      const { server, remove } = await start([], { VITRINE_ADMIN_KEY: key });
      assert.equal(await server.exit, 2);
      assert.match(server.output(), /^vitrine: VITRINE_ADMIN_KEY must have at least 16 characters.*\n$/);
      await remove();
    }
  });

  it('is refused with one line where no request could send it', async () => {
    for (const key of ['correct horse battery staple', 'schlüssel-für-alles-hier']) {
      for (const [flags, environment, name] of [
        [[], { VITRINE_ADMIN_KEY: key }, 'VITRINE_ADMIN_KEY'],
        [['--metrics-key', key], {}, '--metrics-key'],
      ] as const) {
        const { server, remove } = await start(flags, environment);
        assert.equal(await server.exit, 2);
        assert.match(
          server.output(),
          new RegExp(`^vitrine: ${name} must have visible ASCII characters.*\n$`),
        );
        await remove();
      }
    }
  });

  it('counts as not set where it is blank', async () => {
    for (const key of ['', '   ']) {
      const { server, remove } = await start([], { VITRINE_ADMIN_KEY: key });
      await printed(server, /(_console\/setup#\S+)/);
      await stop(server);
      await remove();
    }
  });
});
