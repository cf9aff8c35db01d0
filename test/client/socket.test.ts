import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../client/client.ts';
import { startChild } from '../children.ts';
import { seed } from '../seed.ts';
import { type Cut, type RealServer, startCutter, startRealServer } from './real-server.ts';
import type { shop } from './shop.ts';

const records = Number(process.env.VITRINE_WALK ?? 40_000);

/** The same numbers for the same seed. */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

describe('the client and a real server', { timeout: 280_000 }, () => {
  let server: RealServer;
  before(async () => {
    server = await startRealServer();
  });
  after(() => server.stop());
  const client = (url = server.url) => createClient<typeof shop>(url, { project: 'shop' });

  it(`makes exactly one record over connections that are cut (seed ${seed})`, async () => {
    const random = randomNumbers(seed);
    let cuts = 0;
    const next = (): Cut => {
      const kind = random();
      if (kind < 0.3) return undefined;
      cuts += 1;
      return kind < 0.6 ? 'before' : Math.floor(random() * 600);
    };
    const cutter = await startCutter(server.url, next);
    const v = client(cutter.url);
    const titles = Array.from({ length: 40 }, (_, index) => `cut ${index}`);
    const outcomes = await Promise.all(
      titles.map((title) =>
        v.products.create({ title }).then(
          ({ _id }) => _id,
          () => undefined,
        ),
      ),
    );
    await cutter.close();
    let made = 0;
    for (const [index, title] of titles.entries()) {
      const { found } = await client().products.list({ where: { title } });
      const id = outcomes[index];
      if (id !== undefined)
        assert.deepEqual(
          found.map(({ _id }) => _id),
          [id],
          title,
        );
      else assert.ok(found.length <= 1, title);
      made += Number(id !== undefined);
    }
    const again = await startCutter(server.url, next);
    const through = client(again.url);
    const { found: there } = await client().products.list({ search: 'cut', perPage: 100 });
    const ends = await Promise.all(
      there.map(async ({ _id }) => {
        await through.products.update(_id, { price: 1 }).catch(({ status }) => assert.equal(status, 0));
        // A deletion whose answer was lost is answered again: it does not find its record gone.
        return through.products.delete(_id).catch(({ status }) => assert.equal(status, 0));
      }),
    );
    assert.ok(ends.length >= made);
    await again.close();
    console.log(
      `client: ${made} of ${titles.length} went through, ${cuts} connections were cut, seed ${seed}`,
    );
    assert.ok(made > 10 && cuts > 10);
  });

  it('streams an export as it is taken, and lets it be left', async () => {
    const v = client();
    for (let batch = 0; batch < 4; batch++)
      await v.countries.batch((b) => {
        for (let index = 0; index < 1000; index++) b.create({ name: `country ${batch * 1000 + index}` });
      });
    const response = await v.countries.export('ndjson');
    let lines = 0;
    let parts = 0;
    assert.ok(response.body);
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      parts += 1;
      lines += part.split('\n').length - 1;
    }
    assert.equal(lines, 4000);
    assert.ok(parts > 1, `${parts} parts`);
    const stop = new AbortController();
    const left = await v.countries.export('csv', { signal: stop.signal });
    const reader = left.body?.getReader();
    await reader?.read();
    stop.abort(new Error('enough'));
    await assert.rejects(async () => {
      for (;;) if ((await reader?.read())?.done) return;
    });
    assert.equal((await v.countries.list({ perPage: 1 })).total, 4000);
  });

  it(`walks through ${records} records without keeping them`, async () => {
    const v = client();
    const rest = 'x'.repeat(150);
    for (let done = 0; done < records; done += 1000)
      await v.brands.batch((b) => {
        for (let index = 0; index < 1000; index++) b.create({ name: `${done + index} ${rest}` });
      });
    const script = fileURLToPath(new URL('./walk-process.ts', import.meta.url));
    const flags = 'Bun' in globalThis ? [] : ['--expose-gc'];
    const child = startChild(process.execPath, [...flags, script, server.url]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part));
    assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0, output);
    const { seen, grown } = JSON.parse(output) as { seen: number; grown: number };
    console.log(
      `client: walked through ${seen} records, what is kept grew by ${Math.round(grown / 1024)} KiB`,
    );
    assert.equal(seen, records);
    // One that is kept takes some 400 bytes.
    assert.ok(grown < 100 * records, `${grown} bytes`);
  });
});
