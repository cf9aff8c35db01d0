import { defineProject } from 'vitrine/define';

/** A project with every type of field, and relations that go three deep. */
export const shop = defineProject({
  id: 'shop',
  collections: [
    { id: 'countries', fields: { name: { type: 'text', required: true } }, api: { access: 'public' } },
    {
      id: 'brands',
      fields: {
        name: { type: 'text', required: true },
        country: { type: 'relation', to: 'countries' },
      },
      api: { access: 'public' },
    },
    {
      id: 'products',
      fields: {
        title: { type: 'text', required: true, maxLength: 200 },
        sku: { type: 'text', unique: true },
        status: { type: 'text', options: ['draft', 'live'], default: 'draft' },
        price: { type: 'number', min: 0 },
        inStock: { type: 'boolean', required: true, default: true },
        contact: { type: 'email' },
        homepage: { type: 'url' },
        body: { type: 'content' },
        releasedAt: { type: 'datetime' },
        tags: { type: 'list', of: { type: 'text', maxLength: 40 }, maxItems: 20 },
        sizes: { type: 'list', of: { type: 'number' } },
        brand: { type: 'relation', to: 'brands', onDelete: 'restrict' },
        brands: { type: 'relation', to: 'brands', kind: 'multiple' },
        parent: { type: 'relation', to: 'products' },
      },
      api: { access: 'public' },
    },
    { id: 'notes', fields: { text: { type: 'text' } } },
    { id: 'tasks', fields: { text: { type: 'text' } }, api: { access: 'workspace' } },
  ],
});
