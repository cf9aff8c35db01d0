import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import postgres from 'postgres';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { startApp } from '../harness.ts';
import { type NamedStorage, startStorage, testEngine } from '../storage.ts';
import { asAdmin, assertRefused, resultOf } from '../support.ts';

/** As if a later version had upgraded it. */
async function setFormat({ flags }: NamedStorage, part: 'instance' | 'shop', number: number): Promise<void> {
  const place = flags[1] ?? '';
  if (testEngine === 'sqlite') {
    const file = part === 'instance' ? 'instance.db' : 'projects/shop.db';
    const connection = (await loadRuntime()).sqlite.open(join(place, file));
    connection.exec(`PRAGMA user_version = ${number}`);
    connection.close();
    return;
  }
  const db = postgres(place, { max: 1 });
  if (part === 'instance') await db`UPDATE vitrine.format SET number = ${number}`;
  else {
    const [row] = await db`SELECT seq FROM vitrine.projects WHERE id = 'shop'`;
    await db`UPDATE ${db(`vitrine_p${row?.seq}`)}.meta SET value = ${number} WHERE name = 'format'`;
  }
  await db.end();
}

const sentence =
  /The data has format 99, made by a newer Vitrine, and this one reads up to \d+: upgrade Vitrine$/;

it('data of a newer version is refused in one sentence, and left as it is', async () => {
  const storage = await startStorage();
  const first = await startApp({ storage });
  await first.project('shop', { id: 'products', fields: { title: { type: 'text' } } });
  await first.close();
  await setFormat(storage, 'shop', 99);
  const second = await startApp({ storage });
  assertRefused(await second.call('GET', '/v1/shop/products', asAdmin), 503, sentence);
  assert.equal(resultOf(await second.call('GET', '/v1/_admin/projects', asAdmin)).total, 1);
  assert.deepEqual(second.errors, []);
  await second.close();
  await setFormat(storage, 'instance', 99);
  await assert.rejects(async () => {
    const third = await startApp({ storage });
    try {
      const reply = await third.call('GET', '/v1/_admin/projects', asAdmin);
      throw new Error(reply.body.error);
    } finally {
      await third.close();
    }
  }, sentence);
  await storage.remove();
});
