import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { Database } from '../../src/store/engines/sqlite/connection/database.ts';
import { mailCalls } from '../../src/store/sql/accounts/mails.ts';
import { explained } from '../explained.ts';
import { startApp } from '../harness.ts';
import { sqliteStorage } from '../storage.ts';
import { definition } from '../support.ts';

/** Files are SQLite's alone, so this is too, whatever the other tests run on. */
it('mails that are due are found along their index, in its order, however many they are', async () => {
  const storage = await sqliteStorage();
  const app = await startApp({ storage });
  await app.project('p', definition('items', {}));
  const { sqlite } = await loadRuntime();
  const db = new Database(sqlite, join(storage.flags[1] ?? '', 'projects', 'p.db'));
  try {
    const plans: string[] = [];
    const write = () => Promise.reject(new Error('this only reads'));
    const mails = mailCalls({ read: async (work) => work(explained(db, plans)), write });
    assert.deepEqual(await mails.listDueMails(Date.now(), 10), []);
    // Those whose time has come, and those that only a wrong clock puts off; neither is sorted.
    assert.deepEqual(plans, [
      'SEARCH outbox USING INDEX outbox_due (due<?)',
      'SEARCH outbox USING INDEX outbox_due (due>?)',
    ]);
  } finally {
    db.close();
    await app.close();
    await storage.remove();
  }
});
