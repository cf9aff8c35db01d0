/** Downloads a URL and discards the body: bun bench/drain.ts URL */
const response = await fetch(process.argv[2] ?? '');
const begin = performance.now();
let bytes = 0;
for await (const part of response.body ?? []) bytes += part.length;
const seconds = (performance.now() - begin) / 1_000;
console.log(`DRAINED ${JSON.stringify({ status: response.status, bytes, seconds })}`);
process.exit(0);
