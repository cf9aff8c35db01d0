/**
 * The floor: Bun.serve, which answers the same bytes whatever it is asked, once it has parsed what was sent. A second port sets these bytes.
 *   bun bench/servers/bare-process.ts [PORT]   (to share a port with another one)
 */
let body = '{}';
let init: ResponseInit = { status: 200 };

const bare = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.argv[2] ?? 0),
  reusePort: true,
  development: false,
  fetch(request) {
    if (request.method === 'GET') return new Response(body, init);
    return request.json().then(() => new Response(body, init));
  },
});

const control = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  async fetch(request) {
    body = await request.text();
    const headers = JSON.parse(request.headers.get('x-headers') ?? '[]') as [string, string][];
    // Made once: from a plain object they would be made anew for every answer.
    init = { status: Number(request.headers.get('x-status')), headers: new Headers(headers) };
    return new Response();
  },
});

console.log(`bare ${bare.port} ${control.port}`);
