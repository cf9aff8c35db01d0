import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of a request. `502` is of a proxy, in HTML, where the server did what it was asked to. */
export type Fate = 'pass' | 'no answer' | 'answer lost' | 'half an answer' | 'silence after half' | '502';

/** Stands before a server, and decides what becomes of each request. */
export async function standBetween(
  target: string,
  decide: (path: string, body: string) => Fate | Promise<Fate>,
): Promise<{ readonly url: string; close(): void }> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url = '' } = request;
    const body = Buffer.concat(await request.toArray());
    const fate = await decide(url, body.toString());
    if (fate === 'no answer') return request.socket.destroy();
    const headers = { ...(request.headers as Record<string, string>) };
    for (const name of ['host', 'connection', 'content-length', 'accept-encoding']) delete headers[name];
    const answer = await fetch(`${target}${url}`, { method, headers, ...(body.length > 0 && { body }) });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (fate === 'answer lost') return request.socket.destroy();
    if (fate === '502') return response.writeHead(502).end('<h1>no upstream</h1>');
    response.writeHead(answer.status);
    if (fate === 'pass') return response.end(bytes);
    const half = bytes.subarray(0, bytes.length / 2);
    if (fate === 'silence after half') return response.write(half);
    return response.write(half, () => request.socket.destroy());
  };
  const proxy = createServer((request, response) => void handle(request, response));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
