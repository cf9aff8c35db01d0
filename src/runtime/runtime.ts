import type { SqliteDriver } from '../store/engines/sqlite/connection/driver.ts';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Whether other processes may listen there too, and get a share of the connections. */
  readonly shared?: boolean;
  /** Seconds for which an idle connection is kept. */
  readonly keepAlive?: number;
  /** The longest that a request with a time limit may wait for its answer, in milliseconds. */
  readonly longestWait?: number;
  /** `continued`: a client that sent `Expect: 100-continue` has already been answered. */
  readonly fetch: (request: Request, peer: () => string, continued: boolean) => Response | Promise<Response>;
}

export interface Listener {
  readonly port: number;
  /** Accepts no new connections, as far as the system allows that; open ones go on. */
  refuse(): Promise<void>;
  /** Closes open connections once their requests are answered, and idle ones after a while. */
  stop(): Promise<void>;
  /** Closes all connections, even if requests are under way. */
  abandon(): void;
}

/** Everything that differs between Bun and Node. */
export interface Runtime {
  readonly name: string;
  readonly sqlite: SqliteDriver;
  listen(options: ListenOptions): Promise<Listener>;
  /** All addresses of a name. However long that takes, it does not keep others, such as a sign-in, waiting for a thread. */
  resolve(name: string): Promise<readonly string[]>;
  /**
   * Gives memory that this thread no longer uses back to the system. For a thread that nobody needs for now: its compiled code
   * goes too, and that takes some tens of milliseconds.
   */
  rest(): void;
  /** From now on every file that imports `name` gets this module, even if no such package is installed. */
  provide(name: string, module: URL, exports: Readonly<Record<string, unknown>>): void;
}
