import { createClient } from '../../client/client.ts';
import type { shop } from './shop.ts';

/**
 * Walks through the brands of a server, and says how many there were and by how many bytes what is kept has grown after the first
 * few pages. What is kept is what is left after garbage was collected: how much garbage there is before that is the runtime's business.
 */
const v = createClient<typeof shop>(process.argv[2] ?? '', { project: 'shop' });

function kept(): number {
  if ('Bun' in globalThis) globalThis.Bun.gc(true);
  else globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

let [seen, early, most] = [0, 0, 0];
for await (const { found } of v.brands.all({ perPage: 500 }).pages()) {
  seen += found.length;
  if (seen === 10_000) early = kept();
  else if (seen % 10_000 === 0) most = Math.max(most, kept());
}
console.log(JSON.stringify({ seen, grown: Math.max(0, most - early) }));
