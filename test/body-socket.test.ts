import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Process, serving, vitrine } from './auth/process.ts';

/** Over a socket a body has an announced length, and is read in another way than without. */
describe('a body that comes over a socket', () => {
  let directory: string;
  let server: Process;
  let url: string;
  const key = 'administrators-key';
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vitrine-body-'));
    const environment = { VITRINE_ADMIN_KEY: key };
    server = vitrine(['serve', '--demo', '--port', '0', '--data', directory], { environment });
    url = `${new URL(await serving(server)).origin}/v1/demo/brands`;
  });
  after(async () => {
    server.child.kill('SIGKILL');
    await server.exit;
    await rm(directory, { recursive: true, force: true });
  });

  const post = async (body: Uint8Array<ArrayBuffer>) => {
    const response = await fetch(url, { method: 'POST', headers, body });
    const answer = (await response.json()) as { error?: string; result?: { name: string } };
    return { status: response.status, ...answer };
  };
  const bytes = (...parts: readonly (string | readonly number[])[]) =>
    new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

  for (const [what, wrong] of Object.entries({
    'a byte that no character begins with': [0xff],
    'an overlong form': [0xc0, 0xaf],
    'half of a surrogate pair': [0xed, 0xa0, 0x80],
    'the first byte of two': [0xc3],
    'the first two bytes of three': [0xe2, 0x82],
  })) {
    it(`with ${what} is refused`, async () => {
      const { status, error } = await post(bytes('{"name":"a', wrong, 'b"}'));
      assert.equal(status, 400);
      assert.match(error ?? '', /UTF-8/);
    });
  }

  it('keeps every character as it was sent, U+FFFD and a byte order mark inside included', async () => {
    for (const name of ['ä€😀', '\ufffd', 'a\ufffdb\ufffd', 'x\ufeffy', '\u{10ffff}']) {
      const { status, result } = await post(bytes(JSON.stringify({ name })));
      assert.equal(status, 201);
      assert.equal(result?.name, name);
    }
  });
});
