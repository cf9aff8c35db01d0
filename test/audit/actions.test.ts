import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listRoutes } from '../../src/http/management/routes.ts';
import type { Services } from '../../src/http/services.ts';

/** To list the routes nothing of the services is used. */
const services = new Proxy({}, { get: () => ({}) }) as Services;

it('every call of management that changes something has a name in the audit', () => {
  const routes = listRoutes(services);
  assert.ok(routes.length > 10);
  const nameless = routes.flatMap(({ path, verbs, actions }) =>
    Object.keys(verbs)
      .filter((verb) => verb !== 'GET' && actions?.[verb as 'POST'] === undefined)
      .map((verb) => `${verb} ${path}`),
  );
  assert.deepEqual(
    nameless,
    [],
    "give them `actions: { POST: 'thing.verb' }`, or 'none' where nothing is changed",
  );
});

it('names are a thing and what is done to it, and only what reads has none', () => {
  const named = listRoutes(services).flatMap(({ path, actions = {} }) =>
    Object.entries(actions).map(([verb, action]) => ({
      call: `${verb} ${path}`,
      name: typeof action === 'string' ? action : action.signIn,
    })),
  );
  for (const { call, name } of named)
    if (name !== 'none') assert.match(name, /^[a-z]+(\.[a-zA-Z]+){1,2}$/, call);
  const reading = named.filter(({ name }) => name === 'none').map(({ call }) => call);
  const known = [
    'POST /projects/:project/explain',
    'POST /projects/:project/users/:id/impersonate', // enters itself, with its reason
  ];
  assert.deepEqual(reading, known);
});
