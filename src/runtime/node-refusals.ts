import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { largestHead } from './limits.ts';

const type = 'application/json; charset=utf-8';

/** Refuses, in our envelope, requests that Node can't parse or that never reach the app, and closes their connection. */
export class NodeRefusals {
  /** The answer to the last request of each connection. */
  readonly #latest = new WeakMap<Duplex, ServerResponse>();
  readonly #refused = new WeakSet<Duplex>();

  answering(outgoing: ServerResponse): void {
    this.#latest.set(outgoing.req.socket, outgoing);
  }

  /** Refuses what is not HTTP, has too large a head, or arrives too slowly. */
  refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const [status, message] = reasons[error.code ?? ''] ?? ['400 Bad Request', "The request can't be read"];
    this.end(socket, status, message);
  }

  /**
   * Sends the refusal after a running answer, unless that answer's own request is the one that can't be read: sent earlier, it
   * would be taken for that answer, or for a part of it. An answer has no socket while it waits for those before it.
   */
  end(socket: Duplex, status: string, message: string, ...headers: readonly string[]): void {
    if (this.#refused.has(socket)) return; // everything after the first error is an error too
    this.#refused.add(socket);
    const send = () => {
      if (socket.writable) socket.end(answer(status, message, headers));
    };
    const latest = this.#latest.get(socket);
    if (!latest || latest.closed) send();
    else if (latest.headersSent || latest.req.complete) latest.once('close', send);
    else if (latest.socket) send();
    else latest.once('socket', send);
  }
}

/** The answer to a request that the adapter can't parse. */
export function unreadableAddress(): Response {
  return new Response(bodyOf("The address of the request can't be read"), {
    status: 400,
    headers: { 'content-type': type, connection: 'close' },
  });
}

function bodyOf(error: string): string {
  return `${JSON.stringify({ ok: false, error })}\n`;
}

function answer(status: string, message: string, headers: readonly string[]): string {
  const body = bodyOf(message);
  const head = [`HTTP/1.1 ${status}`, 'Connection: close', `Content-Type: ${type}`, ...headers];
  return [...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
}

const reasons: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `The head of the request is larger than ${largestHead} bytes`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive'],
};
