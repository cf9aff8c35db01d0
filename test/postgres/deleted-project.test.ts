import { it } from 'node:test';
import { asAdmin, definition, resultOf } from '../support.ts';
import { startPostgresApp } from './app.ts';
import { rowsOf, schemaOf, until, whileHeld } from './nodes.ts';

it('what is left of a project that is deleted while somebody reads it goes once nobody does', async () => {
  const app = await startPostgresApp();
  try {
    await app.project('p', definition('notes', { text: { type: 'text' } }));
    const schema = await schemaOf(app.url);
    await whileHeld(app.url, `SELECT 1 FROM ${schema}.r1`, async () => {
      resultOf(await app.call('DELETE', '/v1/_admin/projects/p?confirm=destructive', asAdmin));
    });
    const left = `SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = '${schema}'`;
    await until('nothing is left', async () => (await rowsOf(app.url, left)).length === 0, 40_000);
  } finally {
    await app.close();
  }
});
