import type { JsonObject } from '../../src/model/json.ts';

/** A project with a field of every kind, and collections of every level. */
export const shop: readonly JsonObject[] = [
  { id: 'countries', fields: { name: { type: 'text' } }, api: { access: 'public' } },
  {
    id: 'brands',
    name: 'Brands',
    fields: { name: { type: 'text', required: true }, country: { type: 'relation', to: 'countries' } },
    api: { access: 'public', methods: { create: { access: 'user' }, update: { access: 'user' } } },
  },
  {
    id: 'products',
    name: 'Products',
    fields: {
      title: { type: 'text', required: true, maxLength: 200, index: true, description: 'What it is called.' },
      sku: { type: 'text', unique: true, pattern: '^[A-Z]{3}-[0-9]+$', label: 'Stock number' },
      status: { type: 'text', options: ['draft', 'live'], default: 'draft' },
      price: { type: 'number', min: 0, max: 1000000 },
      pieces: { type: 'number', integer: true },
      inStock: { type: 'boolean', default: true },
      contact: { type: 'email' },
      homepage: { type: 'url' },
      body: { type: 'content' },
      releasedAt: { type: 'datetime', min: '2020-01-01' },
      tags: { type: 'list', of: { type: 'text', maxLength: 40 }, maxItems: 20 },
      brand: { type: 'relation', to: 'brands' },
      related: { type: 'relation', to: 'products', kind: 'multiple' },
    },
    api: {
      access: 'public',
      methods: {
        create: { access: 'user' },
        update: { access: 'user' },
        delete: { access: 'user' },
        distinct: { fields: ['brand', 'tags'] },
      },
    },
  },
  {
    id: 'notes',
    fields: { text: { type: 'content' }, about: { type: 'relation', to: 'products' } },
    api: { access: 'workspace', methods: { export: { enabled: false } } },
  },
];
