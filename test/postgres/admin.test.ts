import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makePlace } from '../commands/support.ts';
import { asSuperuser, freshDatabase } from '../postgres-server.ts';

it('vitrine admin ends when the database refuses it', async () => {
  const place = await makePlace();
  const { url, drop } = await freshDatabase();
  const save = () =>
    place.run(['admin', '--email', 'ann@example.com', '--database', url], {
      environment: { VITRINE_ADMIN_PASSWORD: 'correct horse' },
    });
  try {
    assert.equal((await save()).code, 0);
    const name = new URL(url).pathname.slice(1);
    await asSuperuser(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const { code, err } = await save();
    assert.equal(code, 1);
    assert.match(err, /^vitrine: [^\n]*\n$/);
  } finally {
    await drop();
    await place.remove();
  }
});
