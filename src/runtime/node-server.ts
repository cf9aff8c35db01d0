import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { largestHead, mayStream, keepAlive as usual } from './limits.ts';
import { NodeRefusals, unreadableAddress } from './node-refusals.ts';
import type { ListenOptions } from './runtime.ts';

export interface NodeServer {
  readonly server: Server;
  /** Answers that last as long as their clients are connected. */
  readonly streams: ReadonlySet<ServerResponse>;
  /** Ends the connections of clients that have never sent anything, which do not count as idle. */
  closeSilent(): void;
}

/** The HTTP server on Node: every request gets an answer in our envelope, even one that the adapter can't parse. */
export function createNodeServer(fetch: ListenOptions['fetch'], keepAlive = usual): NodeServer {
  const streams = new Set<ServerResponse>();
  const fresh = new Set<Socket>();
  const refusals = new NodeRefusals();
  const listener = getRequestListener(
    async (request, { incoming }) => {
      const answer = await fetch(request, () => incoming.socket.remoteAddress ?? '', false);
      if (incoming.httpVersion === '1.0') answer.headers.delete('transfer-encoding'); // which such clients do not know
      return answer;
    },
    {
      errorHandler: unreadableAddress,
    },
  );
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.headers.host === undefined && incoming.httpVersion === '1.1') {
      return refusals.end(incoming.socket, '400 Bad Request', 'The header Host is missing');
    }
    fresh.delete(incoming.socket);
    refusals.answering(outgoing);
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
  server.on('connection', (socket) => {
    fresh.add(socket);
    socket.once('close', () => fresh.delete(socket));
  });
  server.on('request', serve);
  server.on('checkContinue', (incoming, outgoing) => {
    // The client sends the body only after the 100, which is sent when the app starts to read the body.
    incoming.on('newListener', (event) => {
      if ((event === 'data' || event === 'readable') && !outgoing.headersSent) outgoing.writeContinue();
    });
    serve(incoming, outgoing);
  });
  server.on('checkExpectation', serve); // an `Expect` other than 100-continue is ignored
  server.on('connect', (_, socket) => {
    // Node hands over the socket: without a listener an error on it would end the process, and nobody else closes it.
    socket.on('error', () => {}).resume();
    socket.once('finish', () => setTimeout(() => socket.destroy(), unconnected).unref());
    refusals.end(socket, '405 Method Not Allowed', 'CONNECT does not work here: this is no proxy', allow);
  });
  server.on('clientError', (error, socket) => refusals.refuse(error, socket));
  const closeSilent = () => {
    for (const socket of fresh) if (socket.bytesRead === 0) socket.destroy();
  };
  return { server, streams, closeSilent };
}

/** Milliseconds for the client to read the refusal. */
const unconnected = 1_000;

const allow = 'Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * While a finished answer waits to be read, the connection counts as idle, and is closed after the same time as one between two
 * requests: a client that never reads would keep the answer in memory forever. Each part that is read restarts the time, and
 * after the last one Node sets its own time-out.
 */
function cutUnread(socket: Socket, outgoing: ServerResponse, milliseconds: number): void {
  outgoing.once('prefinish', () => socket.setTimeout(milliseconds));
  // Before Node's own listener, which starts to wait for the next request.
  outgoing.prependOnceListener('finish', () => socket.setTimeout(0));
}

const plainHost = /^(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** Only the path decides what is served: an invalid Host, or an absolute URL as request target, makes no difference. */
function prepare(incoming: IncomingMessage): void {
  const { headers, url = '' } = incoming;
  const { host = '' } = headers;
  if (!plainHost.test(host) || !URL.canParse(`http://${host}`)) headers.host = 'localhost';
  if (url.startsWith('/')) return;
  incoming.url = url.replace(/^https?:\/\/[^/?#]*(?=([/?#]?))/i, (_, next) => (next === '/' ? '' : '/'));
}
