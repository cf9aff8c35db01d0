/** The floor: Bun.serve, which answers the same bytes whatever it is asked. A second port sets these bytes. */
let body = '{}';
let init: ResponseInit = { status: 200 };

const bare = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  fetch: () => new Response(body, init),
});

const control = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  async fetch(request) {
    body = await request.text();
    init = {
      status: Number(request.headers.get('x-status')),
      headers: { 'content-type': 'application/json; charset=utf-8' },
    };
    return new Response();
  },
});

console.log(`bare ${bare.port} ${control.port}`);
