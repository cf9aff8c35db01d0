import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as native from '@node-rs/argon2';
import { builtInArgon2, loadArgon2 } from '../../src/access/argon2.ts';

const cost = { memoryCost: 1_024, timeCost: 2, parallelism: 1 };

it("the runtime's own argon2 and the native one know each other's hashes", async () => {
  for (const password of ['', 'correct horse', 'ключ 🔑', 'x'.repeat(256)]) {
    for (const [maker, reader] of [
      [native, builtInArgon2],
      [builtInArgon2, native],
    ] as const) {
      const hash = await maker.hash(password, cost);
      assert.match(hash, /^\$argon2id\$v=19\$m=1024,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
      assert.equal(await reader.verify(hash, password), true);
      assert.equal(await reader.verify(hash, `${password}.`), false);
    }
  }
  await assert.rejects(builtInArgon2.verify('$2b$10$no', 'x'), /argon2id/);
  assert.notEqual(await loadArgon2(), builtInArgon2, 'native where it can be loaded');
});
