import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { projectTypes } from '../../src/describe/types.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { readStoredProfile } from '../../src/model/profile.ts';
import { readCollection } from '../../src/model/read-collection.ts';
import { shop as defined } from '../client/shop.ts';
import { makePlace } from '../commands/support.ts';
import { compile, root } from './compile.ts';
import { shop } from './shop.ts';

function typesOf(id: string, definitions: readonly JsonObject[], profile: JsonObject = {}): string {
  const ids = new Set(definitions.map((one) => String(one.id)));
  return projectTypes(
    id,
    definitions.map((one) => readCollection(one, ids)),
    readStoredProfile(profile).collection,
  );
}

describe('the types of a project', () => {
  it('are what the definition says to the client, to the letter', { timeout: 280_000 }, () => {
    const { id, collections } = defined;
    const definitions = JSON.parse(JSON.stringify(collections)) as JsonObject[];
    compile({
      'types.ts': typesOf(id, definitions),
      'use.ts': `import type { TypesOf } from '${root}client/types.ts';
import type { shop } from '${root}test/client/shop.ts';
import type { Shop } from './types.ts';
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Flat<T> = { [K in keyof T]: T[K] };
type Part = 'record' | 'create' | 'update' | 'fields';
type Both<N extends keyof Shop & keyof TypesOf<typeof shop>> = { [P in Part]: Equal<Flat<Shop[N][P]>, Flat<TypesOf<typeof shop>[N][P]>> };
const same: { [N in keyof Shop]: Both<N> } = {
${collections.map(({ id: name }) => `  ${name}: { record: true, create: true, update: true, fields: true },`).join('\n')}
};
export { same };
`,
    });
  });

  it('serve the client, also where names and texts are odd', { timeout: 280_000 }, () => {
    const odd = {
      id: 'odd-things',
      fields: {
        constructor: {
          type: 'text',
          options: ["it's", 'a*/b', '"', '\\', '\u2028'],
          description: 'ends */ here\nand goes on',
        },
      },
    };
    const profile = { city: { type: 'text' } };
    const text = typesOf('my-shop', [...shop, odd, { ...odd, id: 'odd_things' }], profile);
    assert.equal(
      typesOf('my-shop', [{ ...odd, id: 'odd_things' }, odd, ...shop].toReversed(), profile).length,
      text.length,
    );
    assert.match(text, /What it is called\./);
    compile({
      'types.ts': text,
      'use.ts': `import { createClient } from '${root}client/client.ts';
import type { MyShop, MyShopProfile } from './types.ts';
const client = createClient<MyShop>('http://127.0.0.1', { project: 'my-shop' });
export async function use(): Promise<void> {
  const { found, _include } = await client.products.list({ where: { price: { '>=': 1 } }, include: ['brand.country'], fields: ['status'] });
  const status: 'draft' | 'live' | null | undefined = found[0]?.status;
  const name: string | null | undefined = _include['brand.country'][0]?.name;
  await client['odd-things'].create({ constructor: "it's" });
  await client.products.create({ title: 'Tea', tags: ['a'] });
  // @ts-expect-error title is required
  await client.products.create({ status });
  // @ts-expect-error no such option
  await client.products.update('x', { status: 'gone', title: name ?? '' });
  const profile = (await client.auth.me()).profile as MyShopProfile;
  await client.auth.updateMe({ profile });
  const city: string | null = profile.city;
  await client.products.create({ title: city ?? '' });
}
`,
    });
  });

  it('are the same text for the same project, in whatever order it comes', () => {
    assert.equal(typesOf('shop', shop.toReversed()), typesOf('shop', shop));
  });
});

describe('vitrine types', () => {
  it('writes them from a definition file or from data, and checks them', {
    timeout: 280_000,
  }, async () => {
    const place = await makePlace();
    try {
      const file = await place.write('shop.json', {
        $schema: './schema.json',
        id: 'shop',
        collections: [...shop],
      } as JsonObject);
      const out = place.path('types.ts');
      const missing = await place.run(['types', file, '--out', out, '--check']);
      assert.deepEqual([missing.code, missing.err.includes('not up to date')], [3, true]);
      assert.equal((await place.run(['types', file, '--out', out])).code, 0);
      assert.equal(readFileSync(out, 'utf8'), typesOf('shop', shop));
      assert.equal((await place.run(['types', file, '--out', out, '--check'])).code, 0);
      await place.expect(0, ['apply', file]);
      const printed = await place.expect(0, ['types', '--project', 'shop']);
      assert.equal(printed.out, typesOf('shop', shop));
      assert.equal((await place.run(['types'])).code, 2);
      assert.equal((await place.run(['types', file, '--check'])).code, 2);
      await place.expect(1, ['types', '--project', 'nothing']);
    } finally {
      await place.remove();
    }
  });
});
