import type { Socket } from 'node:net';
import postgres from 'postgres';
import { ipv6Hosts } from './ipv6-hosts.ts';
import type { LastPrimary, Listening } from './socket.ts';

export interface SessionOptions {
  readonly url: string;
  /** Milliseconds; bounds one statement on the server. */
  readonly statementTimeout: number;
  /** Milliseconds that a statement may wait for a lock. */
  readonly lockTimeout: number;
  readonly connectTimeout: number;
  /** Shared by all sessions of a pool. */
  readonly primary?: LastPrimary;
  /** Called with the payload of each notification on a channel that the session listens to. */
  readonly notified?: (payload: string) => void;
}

export interface DriverHooks {
  /** Opens the socket. */
  connect(listening: Listening): Promise<Socket>;
  closed(): void;
  /** `routine`: the PostgreSQL function that raised the warning. */
  warned(routine: string): void;
}

/** Reads bigint as a number: what we store are times, sequence numbers and counts, all below 2^53. */
const wholeNumbers = { to: 20, from: [20], parse: Number, serialize: String };

/** A driver with a single connection, opened by the first statement. */
export function openDriver(options: SessionOptions, { connect, closed, warned }: DriverHooks): postgres.Sql {
  const { url, statementTimeout, lockTimeout, connectTimeout, notified } = options;
  return postgres(url, {
    ...ipv6Hosts(url),
    max: 1,
    connect_timeout: connectTimeout / 1000,
    idle_timeout: 0,
    max_lifetime: 0,
    fetch_types: false,
    // A standby lags behind and is read-only.
    target_session_attrs: 'primary',
    onnotice: ({ routine }) => warned(String(routine)),
    onclose: closed,
    ...({ socket: connect, onnotify: (_channel: string, payload: string) => notified?.(payload) } as object),
    types: { wholeNumbers },
    connection: {
      application_name: 'vitrine',
      statement_timeout: statementTimeout,
      lock_timeout: lockTimeout,
      // So that transactions and locks of a node that died, or whose machine vanished from the network, are released soon.
      idle_in_transaction_session_timeout: 60_000,
      tcp_keepalives_idle: 30,
      tcp_keepalives_interval: 10,
      tcp_keepalives_count: 3,
      client_min_messages: 'warning',
      // Queries are many and small: JIT compilation and parallel workers cost more than they gain.
      jit: 'off',
      max_parallel_workers_per_gather: 0,
      // A writer who fills the pending list of the search index up to this limit has to flush it. That should not be a request:
      // search-upkeep.ts flushes it before.
      gin_pending_list_limit: '16MB',
    },
  });
}
