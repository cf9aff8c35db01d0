import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A stand-in for the change feed, to end and break as a test needs it: positions are the numbers 0, 1, 2 … */
export interface FeedServer {
  readonly url: string;
  /** What was asked for: path, `after`, token. */
  readonly asked: {
    readonly path: string;
    readonly query: URLSearchParams;
    readonly token: string | undefined;
  }[];
  /** Of the streams that are open. */
  readonly open: Set<ServerResponse>;
  add(kind: string, id?: string): void;
  /** Writes to every open stream, as it is. */
  write(text: string): void;
  /** What the next request gets in place of a stream. */
  refuseNext(status: number, headers?: Record<string, string>): void;
  /** From now on streams give no sign, as through a proxy that holds them back. */
  hold(): void;
  /** Ends all streams as the server does, after these last words. */
  end(text: string): void;
  /** Breaks all streams off, in the middle of things. */
  cut(): void;
  close(): Promise<void>;
}

export async function startFeed(): Promise<FeedServer> {
  const changes: object[] = [];
  const asked: FeedServer['asked'] = [];
  const open = new Set<ServerResponse>();
  let held = false;
  let refusal: { status: number; headers: Record<string, string> } | undefined;

  const event = (index: number) => {
    const change = changes[index] as { kind: string };
    return `id: ${index + 1}\nevent: ${change.kind}\ndata: ${JSON.stringify(change)}\n\n`;
  };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { 'access-control-allow-headers': 'authorization' }).end();
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    asked.push({ path: pathname, query: searchParams, token: request.headers.authorization });
    if (refusal) {
      response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers });
      response.end(JSON.stringify({ ok: false, error: 'refused' }));
      refusal = undefined;
      return;
    }
    const after = searchParams.get('after') ?? '';
    if (request.headers.accept !== 'text/event-stream') {
      const next = String(changes.length);
      const told = after === 'now' ? [] : changes.slice(Number(after.replace(/^p/, '')));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, result: { next, upToDate: true, changes: told } }));
      return;
    }
    if (held) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': here\n\n');
    for (let index = Number(after); index < changes.length; index++) response.write(event(index));
    open.add(response);
    response.once('close', () => open.delete(response));
  };

  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    open,
    add(kind, id = `r${changes.length}`) {
      const gone = kind === 'delete' || kind === 'refetch';
      const position = `p${changes.length}`;
      changes.push({
        position,
        kind,
        collection: 'things',
        _id: kind === 'refetch' ? null : id,
        at: '2026-01-01T00:00:00.000Z',
        record: gone ? null : { _id: id, title: 'line\nbreak\u2028and\u2029more\u0085' },
      });
      for (const stream of open) stream.write(event(changes.length - 1));
    },
    write: (text) => open.forEach((stream) => void stream.write(text)),
    refuseNext(status, headers = {}) {
      refusal = { status, headers };
    },
    hold() {
      held = true;
    },
    end(text) {
      for (const stream of open) stream.end(text);
      open.clear();
    },
    cut() {
      for (const stream of open) stream.destroy();
      open.clear();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
