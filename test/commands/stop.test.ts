import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addressOf, startChild } from '../children.ts';
import { pause } from '../support.ts';

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

/** The status; undefined: nobody answers. */
const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );

/** What a server answers while it drains. `late`: this process got its turn so late that it proves nothing. */
async function drained(workers: string, signal: NodeJS.Signals) {
  const server = await started('--workers', workers, '--drain', '3');
  const begun = performance.now();
  const since = () => performance.now() - begun;
  server.signal(signal);
  await pause(100);
  const inTime = since() < 500;
  if (inTime) server.signal(signal); // what npm, or a supervisor, sends once more; not a second later
  await pause(400);
  const answers = [await statusOf(`${server.base}/readyz`), await statusOf(`${server.base}/v1/demo/brands`)];
  const late = !inTime || since() > 2_500;
  const ended = await server.ended;
  await server.remove();
  return { answers, ended, late };
}

describe('a signal to the whole group, through bin/vitrine.js', () => {
  for (const workers of ['1', '2']) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`drains: ${signal} with --workers ${workers}`, async () => {
        let seen = await drained(workers, signal);
        for (let tries = 1; seen.late && tries < 6; tries++) seen = await drained(workers, signal);
        assert.deepEqual(seen.answers, [503, 200]);
        assert.equal(seen.ended, 'exit 0');
      });
    }
  }

  it('ends at once when it comes again after a while', async () => {
    for (const workers of ['1', '2']) {
      const server = await started('--workers', workers, '--drain', '60');
      server.signal('SIGINT');
      for (let status: number | undefined; status !== 503; await pause(10)) {
        status = await statusOf(`${server.base}/readyz`);
        assert.ok(status === 200 || status === 503, `${status}`);
      }
      await pause(1_500);
      assert.equal(await statusOf(`${server.base}/readyz`), 503);
      server.signal('SIGINT');
      assert.equal(await server.ended, 'SIGINT');
      const ended = performance.now();
      // Workers see that their parent is gone, at once as far as the machine gives them their turn.
      while ((await statusOf(`${server.base}/healthz`)) !== undefined) {
        assert.ok(performance.now() - ended < 3_000);
        await pause(10);
      }
      await server.remove();
    }
  });
});
