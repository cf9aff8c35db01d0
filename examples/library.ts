import { defineProject } from 'vitrine/define';

/** The project that all examples use: `vitrine apply library.ts` creates it. */
export const library = defineProject({
  id: 'library',
  collections: [
    {
      id: 'authors',
      fields: { name: { type: 'text', required: true, maxLength: 200 } },
      api: { access: 'public', methods: { create: { access: 'user' }, update: { access: 'user' } } },
    },
    {
      id: 'books',
      fields: {
        title: { type: 'text', required: true, maxLength: 200, index: true },
        author: { type: 'relation', to: 'authors', onDelete: 'restrict' },
        year: { type: 'number', integer: true },
        shelf: { type: 'text', options: ['new', 'classic'], default: 'new' },
      },
      api: { access: 'public', methods: { create: { access: 'user' }, update: { access: 'user' } } },
    },
    {
      // Books that users want to read: each user sees only their own.
      id: 'wishes',
      fields: {
        title: { type: 'text', required: true, maxLength: 200 },
        done: { type: 'boolean', required: true, default: false },
      },
      api: { access: 'user' },
    },
  ],
});

// The name that `vitrine apply` looks for if there is no default export.
export { library as project };
