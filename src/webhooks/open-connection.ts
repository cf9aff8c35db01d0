import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { Connection } from './connection.ts';
import { type Connections, destinationOf, portOf } from './connections.ts';

export interface ConnectOptions {
  /** Certificates to trust in place of the system's. */
  readonly ca?: string;
  /** Where a connection is left for the next request; without it each has its own. */
  readonly connections?: Connections;
}

/** To an address of the URL's host, with the certificate of the host verified. Rejects with NotConnected. */
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

/** Nothing was sent yet: another address may do. */
export class NotConnected extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}
