import { createAdmin } from '../../client/admin.ts';
import { type Client, createClient, type TypesOf } from '../../client/client.ts';
import { type AppOptions, adminKey, startApp, type TestApp } from '../harness.ts';
import { shop } from './shop.ts';

export type Shop = Client<TypesOf<typeof shop>>;

export interface World {
  readonly app: TestApp;
  readonly url: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly admin: ReturnType<typeof createAdmin>;
  /** A client of the project, which nobody is signed in to. */
  client(options?: Partial<Parameters<typeof createClient>[1]>): Shop;
}

/** The whole product behind a `fetch` without a socket, with the project of `shop.ts`. */
export async function startWorld(options: AppOptions = {}): Promise<World> {
  const app = await startApp(options);
  const url = 'http://vitrine.test';
  const fetch = (address: string, init: RequestInit) => app.fetch(new Request(address, init));
  const admin = createAdmin(url, { fetch, token: adminKey });
  await admin.projects.create({ id: shop.id });
  for (const definition of shop.collections) await admin.project(shop.id).collections.create(definition);
  return {
    app,
    url,
    fetch,
    admin,
    client: (more = {}) => createClient<typeof shop>(url, { project: shop.id, fetch, ...more }),
  };
}
