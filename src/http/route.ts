import type { Awaitable } from '../awaitable.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Incoming {
  readonly request: Request;
  /** A parameter of the path, decoded. */
  param(name: string): string;
  /** The raw query, after the `?`. */
  readonly query: string;
  /** The address of the connection. */
  peer(): string;
  /** For a sign-in of an administrator: its audit entry. */
  readonly signIn?: AuditedSignIn;
}

/** Tells the audit whose sign-in it is, if it is an administrator's, and that a password is checked now. */
export interface AuditedSignIn {
  by(email: string): void;
  begin(): Promise<void>;
}

export type Handler = (incoming: Incoming) => Awaitable<Response>;

/** A path with a handler per verb. Any other verb is a 405. */
export interface Route {
  readonly path: string;
  readonly verbs: Readonly<Partial<Record<Verb, Handler>>>;
  /** Whether browser apps of other origins may call it. */
  readonly cors: boolean;
}
