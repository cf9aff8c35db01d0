import { type AppOptions, startApp, type TestApp } from './harness.ts';
import { startStorage } from './storage.ts';

export interface Nodes {
  readonly a: TestApp;
  readonly b: TestApp;
  close(): Promise<void>;
}

/** Two of the whole product over one storage: all they share is what is in there. */
export async function startNodes(options: AppOptions = {}): Promise<Nodes> {
  const storage = await startStorage();
  const [a, b] = [await startApp({ ...options, storage }), await startApp({ ...options, storage })];
  return {
    a,
    b,
    async close() {
      await a.close();
      await b.close();
      await storage.remove();
    },
  };
}
