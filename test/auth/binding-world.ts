import { startApp, type TestApp } from '../harness.ts';
import { makePeople, type People, type SignedIn } from './people.ts';

/** Ann, who is in the workspace North, Dan, who is in none, and a server key. */
export interface BindingWorld {
  readonly app: TestApp;
  readonly people: People;
  readonly ann: SignedIn;
  readonly dan: SignedIn;
  readonly north: string;
  readonly key: string;
}

export async function makeBindingWorld(): Promise<BindingWorld> {
  const app = await startApp();
  const people = await makePeople(app);
  const north = await people.workspace(await people.register('ann'), 'North');
  const ann = await people.login('ann');
  const dan = await people.register('dan');
  return { app, people, ann, dan, north, key: (await people.key()).key };
}

export const levels = ['public', 'user', 'workspace'];

/** What every caller sees of a record of a collection with one field. */
export const own = ['_id', '_createdAt', '_updatedAt', 'text'].sort();
