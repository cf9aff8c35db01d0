import assert from 'node:assert/strict';
import { it } from 'node:test';
import { defineProject } from 'vitrine/define';

/** The compiler is the test: each line it must refuse says so, and `tsc` fails where it does not. */
it('a definition is checked by the compiler, key by key', () => {
  defineProject({
    id: 'shop',
    auth: { registration: 'closed' },
    collections: [
      { id: 'brands', fields: { name: { type: 'text', required: true, unique: true, maxLength: 80 } } },
      {
        id: 'products',
        name: 'Products',
        fields: {
          title: { type: 'text', options: ['a'], default: 'a', renamedFrom: 'name' },
          price: { type: 'number', min: 0, integer: true, default: 1 },
          tags: { type: 'list', of: { type: 'text', maxLength: 3 }, maxItems: 2, default: ['x'] },
          sizes: { type: 'list', of: { type: 'number', min: 1 }, default: [1] },
          brand: { type: 'relation', to: 'brands', onDelete: 'restrict' },
          others: { type: 'relation', to: 'products', kind: 'multiple', maxItems: 3 },
          // @ts-expect-error a number has no maxLength
          wrongKey: { type: 'number', maxLength: 3 },
          // @ts-expect-error the default of a number is a number
          wrongDefault: { type: 'number', default: '1' },
          // @ts-expect-error content can't be unique
          wrongUnique: { type: 'content', unique: true },
          // @ts-expect-error there is no such type
          wrongType: { type: 'string' },
          // @ts-expect-error an element of a list is not required by itself
          wrongElement: { type: 'list', of: { type: 'text', required: true } },
          // @ts-expect-error a list has no pattern of its own
          wrongList: { type: 'list', of: { type: 'text' }, pattern: 'x' },
          // @ts-expect-error a single relation has no items
          wrongItems: { type: 'relation', to: 'brands', kind: 'single', maxItems: 2 },
        },
        indexes: [{ fields: ['brand', 'title'], unique: true }],
        api: {
          access: 'public',
          methods: {
            create: { access: 'user' },
            distinct: { enabled: true, access: 'inherit', fields: ['brand'] },
            // @ts-expect-error export has no level of its own
            export: { access: 'public' },
          },
        },
      },
      // @ts-expect-error there is no such method
      { id: 'notes', api: { methods: { list: { enabled: false } } } },
      // @ts-expect-error there is no such key
      { id: 'files', field: {} },
    ],
  });
});

it('a relation leads to a collection of the file, and every key is known, where nothing else is wrong', () => {
  defineProject({
    id: 'shop',
    collections: [
      { id: 'brands', fields: { name: { type: 'text' } } },
      {
        id: 'products',
        fields: {
          brand: { type: 'relation', to: 'brands', onDelete: 'restrict' },
          others: { type: 'relation', to: 'products', kind: 'multiple', maxItems: 3 },
          sizes: { type: 'list', of: { type: 'number', min: 1 }, default: [1] },
          // @ts-expect-error there is no such collection in the file
          wrongTarget: { type: 'relation', to: 'brnds' },
          // @ts-expect-error nor here
          wrongTargets: { type: 'relation', to: 'product', kind: 'multiple' },
          // @ts-expect-error a number has no maxLength
          wrongKey: { type: 'number', maxLength: 3 },
          // @ts-expect-error a single relation has no items
          wrongItems: { type: 'relation', to: 'brands', maxItems: 2 },
          // @ts-expect-error a number has no pattern, in a list neither
          wrongElement: { type: 'list', of: { type: 'number', pattern: 'x' } },
        },
        // @ts-expect-error there is no such method
        api: { methods: { view: { enabled: true }, list: { enabled: false } } },
      },
      // @ts-expect-error there is no such key
      { id: 'files', field: {} },
    ],
  });
});

it('a definition keeps its literal types', () => {
  const shop = defineProject({
    id: 'shop',
    collections: [{ id: 'brands', fields: { size: { type: 'text', options: ['small', 'large'] } } }],
  });
  const exact: 'small' | 'large' = shop.collections[0].fields.size.options[0];
  assert.equal(exact, 'small');
});
