import { createClient } from '../../client/client.ts';
import type { shop } from './shop.ts';

/** Walks through the brands of a server, and says how many there were and how far the memory grew after the first few pages. */
const v = createClient<typeof shop>(process.argv[2] ?? '', { project: 'shop' });
let [seen, early, most] = [0, 0, 0];
for await (const { found } of v.brands.all({ perPage: 500 }).pages()) {
  seen += found.length;
  const { rss } = process.memoryUsage();
  if (seen <= 10_000) early = Math.max(early, rss);
  else most = Math.max(most, rss);
}
console.log(JSON.stringify({ seen, grown: Math.max(0, most - early) }));
