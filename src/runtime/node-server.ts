import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { largestHead, mayStream, keepAlive as usual } from './limits.ts';
import type { ListenOptions } from './runtime.ts';

export interface NodeServer {
  readonly server: Server;
  /** Answers that last as long as their clients are there. */
  readonly streams: ReadonlySet<ServerResponse>;
}

/** HTTP on Node: whatever comes in has an answer in our envelope, also what the adapter can't read. */
export function createNodeServer(fetch: ListenOptions['fetch'], keepAlive = usual): NodeServer {
  const streams = new Set<ServerResponse>();
  const listener = getRequestListener(
    async (request, { incoming }) => fetch(request, () => incoming.socket.remoteAddress ?? '', false),
    {
      errorHandler: () =>
        new Response(`${refusal("The address of the request can't be read")}\n`, {
          status: 400,
          headers: { 'content-type': type, connection: 'close' },
        }),
    },
  );
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.headers.host === undefined && incoming.httpVersion === '1.1') {
      return void incoming.socket.end(answer('400 Bad Request', 'The header Host is missing'));
    }
    prepare(incoming);
    cutUnread(incoming.socket, outgoing, keepAlive * 1000);
    if (mayStream.test(incoming.url ?? '')) {
      streams.add(outgoing);
      outgoing.once('close', () => streams.delete(outgoing));
    }
    void listener(incoming, outgoing);
  };
  const server = createServer({ maxHeaderSize: largestHead, requireHostHeader: false });
  server.keepAliveTimeout = keepAlive * 1000;
  server.on('request', serve);
  server.on('checkContinue', (incoming, outgoing) => {
    // Only whoever reads the body has the client send it.
    incoming.on('newListener', (event) => {
      if ((event === 'data' || event === 'readable') && !outgoing.headersSent) outgoing.writeContinue();
    });
    serve(incoming, outgoing);
  });
  server.on('clientError', refuse);
  return { server, streams };
}

/**
 * Once an answer is handed over, the connection is idle when nothing of it is taken, and ends as one between two requests: else whoever
 * does not read would have it kept in memory for ever. Node counts every part that is taken, and sees to its own time-outs afterwards.
 */
function cutUnread(socket: Socket, outgoing: ServerResponse, milliseconds: number): void {
  outgoing.once('prefinish', () => socket.setTimeout(milliseconds));
  // Before Node's own, which begins to wait for the next request.
  outgoing.prependOnceListener('finish', () => socket.setTimeout(0));
}

const plainHost = /^(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** The path alone decides what is served: an odd Host, or another one in front of the path, does not. */
function prepare(incoming: IncomingMessage): void {
  const { headers, url = '' } = incoming;
  const { host = '' } = headers;
  if (!plainHost.test(host) || !URL.canParse(`http://${host}`)) headers.host = 'localhost';
  if (url.startsWith('/')) return;
  incoming.url = url.replace(/^https?:\/\/[^/?#]*(?=([/?#]?))/i, (_, next) => (next === '/' ? '' : '/'));
}

const type = 'application/json; charset=utf-8';

function refusal(error: string): string {
  return JSON.stringify({ ok: false, error });
}

/** What is not HTTP, has too large a head, or takes too long to come. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const [status, message] = reasons[error.code ?? ''] ?? ['400 Bad Request', "The request can't be read"];
  socket.end(answer(status, message));
}

function answer(status: string, message: string): string {
  const body = `${refusal(message)}\n`;
  const head = [`HTTP/1.1 ${status}`, 'Connection: close', `Content-Type: ${type}`];
  return [...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
}

const reasons: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `The head of the request is larger than ${largestHead} bytes`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive'],
};
