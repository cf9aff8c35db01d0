import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { Connection } from './connection.ts';
import { type Connections, destinationOf, portOf } from './connections.ts';

export interface ConnectOptions {
  /** Certificates to trust instead of the system's. */
  readonly ca?: string;
  /** Keeps connections for the next request; without it, each request opens its own. */
  readonly connections?: Connections;
}

/** Connects to an address of the URL's host, and verifies the host's certificate. Rejects with NotConnected. */
export function openConnection(
  url: URL,
  address: string,
  { ca, connections }: ConnectOptions,
  over: AbortSignal,
): Promise<Connection> {
  const free = (connection: Connection) =>
    connections ? connections.keep(destinationOf(url, address), connection) : connection.close();
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...{ host: address, port: portOf(url), ALPNProtocols: ['http/1.1'] },
      ...(isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 && { servername: url.hostname }),
      ...(ca !== undefined && { ca }),
    });
    const broken = () => socket.destroy();
    over.addEventListener('abort', broken);
    socket.once('error', (error: Error) => reject(new NotConnected(error)));
    socket.once('close', () => {
      over.removeEventListener('abort', broken);
      reject(new NotConnected(new Error('the connection was closed')));
    });
    socket.once('secureConnect', () => {
      over.removeEventListener('abort', broken);
      socket.setNoDelay(true);
      resolve(new Connection(socket, free));
    });
  });
}

/** Nothing has been sent yet, so another address can be tried. */
export class NotConnected extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}
