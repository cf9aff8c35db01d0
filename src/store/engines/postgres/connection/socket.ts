import { createConnection, type Socket } from 'node:net';

/** Where PostgreSQL listens, as the driver read it from the address. */
export interface Listening {
  readonly path?: string | false;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

/** Which of several hosts was the primary last: the next session tries it first. */
export interface LastPrimary {
  host: number;
}

type NamedSocket = Socket & { host?: string; port?: number };

/**
 * Finds the primary among the hosts of an address, for one session. The driver asks for another socket where the last
 * one led to a standby; left to itself it would go on without end, and without a pause, where something accepts
 * connections only to close them. So each host is tried once.
 */
export class PrimarySearch {
  readonly #primary: LastPrimary;
  readonly #from: number;
  #tried = 0;
  #hosts = 1;

  constructor(primary: LastPrimary) {
    this.#primary = primary;
    this.#from = primary.host;
  }

  /** A socket that is connected, within so many milliseconds. */
  async connect({ path, host, port }: Listening, timeout: number): Promise<NamedSocket> {
    let failure: unknown = new Error('it hangs up, or is a standby');
    this.#hosts = path ? 1 : host.length;
    while (this.#tried < this.#hosts) {
      this.#tried += 1;
      const index = this.#at;
      const [name = 'localhost', number = 5432] = [host[index], port[index]];
      const socket = path ? createConnection(path) : createConnection(number, name);
      try {
        await connected(socket, timeout / this.#hosts);
        socket.setNoDelay(true); // statements that travel together do not wait for the first to be acknowledged
        return path ? socket : Object.assign(socket, { host: name, port: number }); // TLS verifies the name
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** The host that was tried last is the one. */
  found(): void {
    this.#primary.host = this.#at;
  }

  /** It is not, or not yet: the next session begins with another. */
  missed(): void {
    if (this.#primary.host === this.#at) this.#primary.host = (this.#at + 1) % this.#hosts;
  }

  get #at(): number {
    return (this.#from + Math.max(0, this.#tried - 1)) % this.#hosts;
  }
}

function connected(socket: Socket, timeout: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(Object.assign(new Error('no connection in time'), { code: 'CONNECT_TIMEOUT' })),
      timeout,
    );
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeListener('error', fail);
      resolve();
    });
  });
}
