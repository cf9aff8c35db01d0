import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startChild } from '../children.ts';
import { pause } from '../support.ts';
import { addressOf } from './support.ts';

const program = join(dirname(fileURLToPath(import.meta.url)), '../../bin/vitrine.js');

/** A server as an installed package starts it: a process that starts another, which may start workers, all in one group. */
async function started(...flags: string[]) {
  const data = await mkdtemp(join(tmpdir(), 'vitrine-stop-'));
  const words = [program, 'serve', '--port', '0', '--data', data, '--demo', ...flags];
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VITRINE_'));
  const env = { ...Object.fromEntries(inherited), VITRINE_RUNTIME: process.versions.bun ? 'bun' : 'node' };
  const child = startChild(process.execPath, words, { detached: true, env });
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  const base = await addressOf(child);
  const group = -(child.pid ?? Number.NaN);
  return {
    base,
    ended,
    /** As a terminal does at Ctrl-C. */
    signal: (signal: NodeJS.Signals) => process.kill(group, signal),
    remove: () => rm(data, { recursive: true, force: true }),
  };
}

describe('a signal to the whole group, through bin/vitrine.js', () => {
  for (const workers of ['1', '2']) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`drains: ${signal} with --workers ${workers}`, async () => {
        const server = await started('--workers', workers, '--drain', '3');
        server.signal(signal);
        await pause(100);
        server.signal(signal); // what npm, or a supervisor, sends once more
        await pause(400);
        assert.equal((await fetch(`${server.base}/readyz`)).status, 503);
        assert.equal((await fetch(`${server.base}/v1/demo/brands`)).status, 200);
        assert.equal(await server.ended, 'exit 0');
        await server.remove();
      });
    }
  }

  it('ends at once when it comes again after a while', async () => {
    for (const workers of ['1', '2']) {
      const server = await started('--workers', workers, '--drain', '60');
      server.signal('SIGINT');
      await pause(1_500);
      assert.equal((await fetch(`${server.base}/readyz`)).status, 503);
      server.signal('SIGINT');
      assert.equal(await server.ended, 'SIGINT');
      await pause(300); // until workers see that their parent is gone
      await assert.rejects(fetch(`${server.base}/healthz`));
      await server.remove();
    }
  });
});
