import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { largestHead, mayStream, keepAlive as usual } from './limits.ts';
import { NodeRefusals, unreadableAddress } from './node-refusals.ts';
import type { ListenOptions } from './runtime.ts';

export interface NodeServer {
  readonly server: Server;
  /** Answers that last as long as their clients are there. */
  readonly streams: ReadonlySet<ServerResponse>;
}

/** HTTP on Node: whatever comes in has an answer in our envelope, also what the adapter can't read. */
export function createNodeServer(fetch: ListenOptions['fetch'], keepAlive = usual): NodeServer {
  const streams = new Set<ServerResponse>();
  const refusals = new NodeRefusals();
  const listener = getRequestListener(
    async (request, { incoming }) => fetch(request, () => incoming.socket.remoteAddress ?? '', false),
    {
      errorHandler: unreadableAddress,
    },
  );
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.headers.host === undefined && incoming.httpVersion === '1.1') {
      return refusals.end(incoming.socket, '400 Bad Request', 'The header Host is missing');
    }
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
  server.on('request', serve);
  server.on('checkContinue', (incoming, outgoing) => {
    // Only whoever reads the body has the client send it.
    incoming.on('newListener', (event) => {
      if ((event === 'data' || event === 'readable') && !outgoing.headersSent) outgoing.writeContinue();
    });
    serve(incoming, outgoing);
  });
  server.on('checkExpectation', serve); // of any other expectation nobody has to know anything
  server.on('connect', (_, socket) => {
    // Node has let go of the connection: a fault of it would end the process, and nobody would end it.
    socket.on('error', () => {}).resume();
    socket.once('finish', () => setTimeout(() => socket.destroy(), unconnected).unref());
    refusals.end(socket, '405 Method Not Allowed', 'CONNECT does not work here: this is no proxy', allow);
  });
  server.on('clientError', (error, socket) => refusals.refuse(error, socket));
  return { server, streams };
}

/** Milliseconds to read the refusal. */
const unconnected = 1_000;

const allow = 'Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

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
