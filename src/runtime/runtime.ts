import type { SqliteDriver } from '../store/engines/sqlite/connection/driver.ts';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Whether other processes may listen there too, and get a part of the connections. */
  readonly shared?: boolean;
  /** Seconds for which an idle connection is kept. */
  readonly keepAlive?: number;
  /** Milliseconds that a request may have to wait for its answer, of those that have a limit. */
  readonly longestWait?: number;
  /** `continued`: a client that sent `Expect: 100-continue` has been answered. */
  readonly fetch: (request: Request, peer: () => string, continued: boolean) => Response | Promise<Response>;
}

export interface Listener {
  readonly port: number;
  /** Takes no new connections, as far as the system allows that; those that are open go on. */
  refuse(): Promise<void>;
  /** Closes the connections that are open once their requests are answered, and idle ones after a while. */
  stop(): Promise<void>;
  /** Closes all connections, whatever is going on there. */
  abandon(): void;
}

/** Everything that differs between Bun and Node. */
export interface Runtime {
  readonly name: string;
  readonly sqlite: SqliteDriver;
  listen(options: ListenOptions): Promise<Listener>;
  /** All addresses of a name. However long that takes, nothing else waits for a thread meanwhile, such as a sign-in. */
  resolve(name: string): Promise<readonly string[]>;
  /** From now on, whatever file imports `name` gets this module, also where no such package is installed. */
  provide(name: string, module: URL, exports: Readonly<Record<string, unknown>>): void;
}
