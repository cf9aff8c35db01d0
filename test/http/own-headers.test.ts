import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { adminKey } from '../admin-key.ts';
import { type Process, serving, vitrine } from '../auth/process.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { definition, type Row } from '../support.ts';

/** The server reuses headers between answers: none may get those of another. */
describe('headers of answers to many requests at once', () => {
  let storage: NamedStorage;
  let server: Process;
  let notes: string;
  const tags = new Map<string, string>();
  before(async () => {
    storage = await startStorage();
    server = vitrine(['serve', '--port', '0', ...storage.flags], {
      environment: { VITRINE_ADMIN_KEY: adminKey },
    });
    const url = await serving(server);
    const send = (path: string, body: unknown) =>
      fetch(`${url}/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    assert.equal((await send('/_admin/projects', { id: 'shop', name: 'Shop' })).status, 201);
    const made = await send(
      '/_admin/projects/shop/collections',
      definition('notes', { n: { type: 'number' } }),
    );
    assert.equal(made.status, 201);
    notes = `${url}/v1/shop/notes`;
    // One after the other, so that they do not share their time.
    for (let n = 0; n < 40; n++) {
      const response = await send('/shop/notes', { n });
      const { result } = (await response.json()) as { readonly result: Row };
      tags.set(result._id, tagOf(response, result));
    }
    assert.ok(new Set(tags.values()).size > 20, 'hardly any two tags differ');
  });
  after(async () => {
    server.child.kill('SIGKILL');
    await server.exit;
    await storage.remove();
  });

  /** It tells when the record was last changed. */
  function tagOf({ headers }: Response, { _updatedAt }: Row): string {
    const tag = headers.get('etag') ?? 'none';
    assert.ok(tag.startsWith(`"${_updatedAt}-`), `${tag} for ${_updatedAt}`);
    return tag;
  }

  it('are those of the record, and those of a list have no ETag', async () => {
    for (let round = 0; round < 5; round++) {
      const answers = [...tags].map(async ([id, tag]) => {
        const [viewed, listed, known] = await Promise.all([
          fetch(`${notes}/${id}`),
          fetch(`${notes}?perPage=1&page=${round + 1}`),
          fetch(`${notes}/${id}`, { headers: { 'if-none-match': tag } }),
        ]);
        const { result } = (await viewed.json()) as { readonly result: Row };
        assert.equal(result._id, id);
        assert.equal(tagOf(viewed, result), tag);
        assert.deepEqual([listed.status, listed.headers.get('etag')], [200, null]);
        assert.deepEqual([known.status, known.headers.get('etag')], [304, tag]);
        await listed.body?.cancel();
      });
      await Promise.all(answers);
    }
  });
});
