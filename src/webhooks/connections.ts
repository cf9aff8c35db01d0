import type { Connection } from './connection.ts';

/** Milliseconds for which an idle connection is kept: less than the 5 seconds after which Node servers close it. */
const longestIdle = 4_000;
/** Most connections kept per destination: as many as there are concurrent requests to one receiver. */
const mostAlike = 8;
/** Most connections kept in total. */
const mostKept = 256;

/** The host that the certificate was verified for, the port, and the address that was found to be public. */
export type Destination = `${string}:${number} ${string}`;

export const portOf = ({ port }: URL) => Number(port || 443);

export const destinationOf = (url: URL, address: string): Destination =>
  `${url.hostname}:${portOf(url)} ${address}`;

interface Kept {
  readonly destination: Destination;
  readonly connection: Connection;
  readonly timer: NodeJS.Timeout;
}

/** Connections that wait for the next request to the same destination. */
export class Connections {
  readonly #idle: number;
  /** Oldest first. */
  #kept: Kept[] = [];
  #isClosed = false;

  constructor(idle: number = longestIdle) {
    this.#idle = idle;
  }

  get size(): number {
    return this.#kept.length;
  }

  /** Takes the one that was used last, so that surplus ones time out. */
  take(destination: Destination): Connection | undefined {
    const kept = this.#kept.findLast((one) => one.destination === destination && !one.connection.isClosed);
    if (kept) this.#forget(kept);
    return kept?.connection;
  }

  keep(destination: Destination, connection: Connection): void {
    if (this.#isClosed) {
      connection.close();
      return;
    }
    const alike = this.#kept.filter((one) => one.destination === destination);
    const [surplus] = alike.length >= mostAlike ? alike : this.#kept.length >= mostKept ? this.#kept : [];
    if (surplus) this.#end(surplus);
    const timer = setTimeout(() => this.#end(kept), this.#idle).unref();
    const kept = { destination, connection, timer };
    this.#kept.push(kept);
  }

  /** Connections in use are closed when they become free. */
  close(): void {
    this.#isClosed = true;
    for (const kept of this.#kept) this.#end(kept);
  }

  #end(kept: Kept): void {
    this.#forget(kept);
    kept.connection.close();
  }

  #forget(kept: Kept): void {
    clearTimeout(kept.timer);
    this.#kept = this.#kept.filter((one) => one !== kept);
  }
}
