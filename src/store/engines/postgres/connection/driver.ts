import type { Socket } from 'node:net';
import postgres from 'postgres';
import { ipv6Hosts } from './ipv6-hosts.ts';
import type { LastPrimary, Listening } from './socket.ts';

export interface SessionOptions {
  readonly url: string;
  /** Milliseconds that PostgreSQL may work on one statement. */
  readonly statementTimeout: number;
  /** Milliseconds that a statement may wait for a lock. */
  readonly lockTimeout: number;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Shared by all sessions of a pool. */
  readonly primary?: LastPrimary;
  /** Is called with what others send to a channel that the session listens to. */
  readonly notified?: (payload: string) => void;
}

export interface DriverHooks {
  /** Makes the socket. */
  connect(listening: Listening): Promise<Socket>;
  closed(): void;
  /** `routine`: the function inside PostgreSQL that warns. */
  warned(routine: string): void;
}

/** Numbers as numbers: those we keep are times, places and counts, all within 2^53. */
const wholeNumbers = { to: 20, from: [20], parse: Number, serialize: String };

/** The driver with one connection, which it opens for the first statement. */
export function openDriver(options: SessionOptions, { connect, closed, warned }: DriverHooks): postgres.Sql {
  const { url, statementTimeout, lockTimeout, connectTimeout, notified } = options;
  return postgres(url, {
    ...ipv6Hosts(url),
    max: 1,
    connect_timeout: connectTimeout / 1000,
    idle_timeout: 0,
    max_lifetime: 0,
    fetch_types: false,
    // A standby lags behind, and takes no writes.
    target_session_attrs: 'primary',
    onnotice: ({ routine }) => warned(String(routine)),
    onclose: closed,
    ...({ socket: connect, onnotify: (_channel: string, payload: string) => notified?.(payload) } as object),
    types: { wholeNumbers },
    connection: {
      application_name: 'vitrine',
      statement_timeout: statementTimeout,
      lock_timeout: lockTimeout,
      // What a node that died left behind holds nobody up for long, nor does one whose machine is gone without a word.
      idle_in_transaction_session_timeout: 60_000,
      tcp_keepalives_idle: 30,
      tcp_keepalives_interval: 10,
      tcp_keepalives_count: 3,
      client_min_messages: 'warning',
      // Requests are many and small: compiling and spreading them over processes costs more than it gains.
      jit: 'off',
      max_parallel_workers_per_gather: 0,
      // Whoever writes when so much of the index for search is to be brought up to date does that. It is not to be a request: see
      // search-upkeep.ts, which does it before.
      gin_pending_list_limit: '16MB',
    },
  });
}
