import type { Step } from './step.ts';

const project: Step = {
  n: 1,
  verb: 'POST',
  path: '/v1/_admin/projects',
  token: 'admin',
  body: '{"id":":project"}',
};

const collection = (n: number, fields: object, more: object = {}): Step => ({
  n,
  verb: 'POST',
  path: '/v1/_admin/projects/:project/collections',
  token: 'admin',
  body: JSON.stringify({ id: 'c', fields, api: { access: 'public' }, ...more }),
});

const create = (n: number, body: object): Step => ({
  n,
  verb: 'POST',
  path: '/v1/:project/c',
  body: JSON.stringify(body),
});

const flag = { type: 'boolean', unique: true };

/** Sequences that once got different answers. */
export const found: Readonly<Record<string, readonly Step[]>> = {
  'two unique values are taken at once': [
    project,
    collection(2, { a: flag, b: flag, d: flag }, { indexes: [{ fields: ['a', 'b'], unique: true }] }),
    create(3, { a: true, b: false, d: true }),
    create(4, { a: true, b: false, d: true }),
    create(5, { a: true, b: false }),
    create(6, { a: true, d: true }),
    create(7, { a: false, b: true, d: false }),
    {
      n: 8,
      verb: 'PATCH',
      path: '/v1/:project/c/dddddddd-0007-7000-9000-000000000000',
      body: '{"a":true,"b":false}',
    },
  ],
  'a record that arrives with another is handed to nobody there is': [
    project,
    collection(2, { a: { type: 'boolean' } }),
    { ...create(3, { a: true }), token: 'admin', burst: 3 },
    { ...create(4, { a: false, _owner: '' }), token: 'admin', burst: 3 },
    { ...create(5, { a: true }), token: 'admin', burst: 5 },
    { ...create(6, { a: false, _workspace: '' }), token: 'admin', burst: 5 },
  ],
};
