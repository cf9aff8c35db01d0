import { createConnection, type Socket } from 'node:net';

/** Where PostgreSQL listens, as the driver parsed it from the URL. */
export interface Listening {
  readonly path?: string | false;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

/** Index of the host that was the primary last: the next session tries it first. */
export interface LastPrimary {
  host: number;
}

type NamedSocket = Socket & { host?: string; port?: number };

/**
 * Finds the primary among the hosts of a URL, for one session. The driver asks for another socket if the last one led to a
 * standby; if something accepts connections only to close them, it would go on forever without a pause. So each host is tried
 * once.
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

  /** Returns a connected socket within `timeout` milliseconds. */
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
        socket.setNoDelay(true); // pipelined statements must not wait for the first to be acknowledged
        return path ? socket : Object.assign(socket, { host: name, port: number }); // TLS verifies the name
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** The host that was tried last is the primary. */
  found(): void {
    this.#primary.host = this.#at;
  }

  /** It is not, or not yet: the next session starts with another host. */
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
