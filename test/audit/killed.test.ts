import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { it } from 'node:test';
import { adminKey } from '../admin-key.ts';
import { type Process, serving, vitrine } from '../auth/process.ts';
import { startStorage } from '../storage.ts';

interface Entry {
  readonly actor: string;
  readonly action: string;
  readonly outcome: string;
}

it('a deed whose process is killed on the way has no outcome, and is unknown', async () => {
  const storage = await startStorage();
  const environment = { VITRINE_ADMIN_KEY: adminKey };
  const start = () => vitrine(['serve', '--port', '0', ...storage.flags], { environment });
  let server: Process = start();
  const { hostname, port } = new URL(await serving(server));
  // The entry is made before the deed, which here never gets the rest of its body.
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}); // it is cut
  socket.write(
    `POST /v1/_admin/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"id"',
  );
  const entries = async (base: string): Promise<Entry[]> => {
    const headers = { authorization: `Bearer ${adminKey}` };
    const response = await fetch(`${base}/v1/_admin/audit`, { headers });
    return ((await response.json()) as { result: { found: Entry[] } }).result.found;
  };
  for (let tries = 0; (await entries(`http://${hostname}:${port}`)).length === 0; tries++) {
    assert.ok(tries < 2_400, 'an entry is there before the deed is done');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  server.child.kill('SIGKILL');
  await server.exit;
  socket.destroy();

  server = start();
  const [entry, ...others] = await entries(await serving(server));
  assert.deepEqual(
    [entry?.actor, entry?.action, entry?.outcome, others.length],
    ['VITRINE_ADMIN_KEY', 'project.create', 'unknown', 0],
  );
  server.child.kill('SIGTERM');
  assert.equal(await server.exit, 0);
  await storage.remove();
});
