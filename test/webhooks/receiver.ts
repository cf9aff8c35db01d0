import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const file = (name: string) => fileURLToPath(new URL(`./certificate/${name}`, import.meta.url));

/** Of hook.test, localhost and 127.0.0.1, signed by itself; for NODE_EXTRA_CA_CERTS. */
export const certificateFile = file('certificate.pem');
export const certificate = readFileSync(certificateFile, 'utf8');

/** Of a server. */
export const credentials = { key: readFileSync(file('key.pem')), cert: certificate };

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answer = (received: Received, response: ServerResponse) => void;

export interface Receiver {
  readonly port: number;
  /** All that came, in order. */
  readonly received: Received[];
  /** For each connection ever made, the name that it was made for. */
  readonly connections: string[];
  /** Connections that are open. */
  open(): number;
  /** How it is answered from now on; 204 at first. */
  answer(answer: Answer): void;
  close(): Promise<void>;
}

/** Someone who is sent webhooks, over TLS on the loopback. */
export async function startReceiver(address = '127.0.0.1', at = 0): Promise<Receiver> {
  const received: Received[] = [];
  const connections: string[] = [];
  let open = 0;
  let answer: Answer = (_, response) => response.writeHead(204).end();
  const server = createServer(credentials, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const one = { path: request.url ?? '', headers: plain(request.headers), body };
      received.push(one);
      answer(one, response);
    });
  });
  server.keepAliveTimeout = 0; // only the sender ends a connection
  server.on('secureConnection', (socket) => {
    connections.push(socket.servername || '');
    open += 1;
    socket.on('close', () => {
      open -= 1;
    });
  });
  await new Promise<void>((listening) => server.listen(at, address, listening));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    connections,
    open: () => open,
    answer(next) {
      answer = next;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
