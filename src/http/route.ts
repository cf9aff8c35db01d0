import type { Awaitable } from '../awaitable.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Incoming {
  readonly request: Request;
  /** A part of the path, decoded. */
  param(name: string): string;
  /** What stands after the `?`, as it came. */
  readonly query: string;
  /** The address the connection comes from. */
  peer(): string;
  /** Of a sign-in of an administrator: its entry in the audit. */
  readonly signIn?: AuditedSignIn;
}

/** Notes for the audit whose sign-in it is, where that is an administrator, and that a password is checked now. */
export interface AuditedSignIn {
  by(email: string): void;
  begin(): Promise<void>;
}

export type Handler = (incoming: Incoming) => Awaitable<Response>;

/** One path and what each verb does there. Any other verb is a 405. */
export interface Route {
  readonly path: string;
  readonly verbs: Readonly<Partial<Record<Verb, Handler>>>;
  /** May a browser app of another origin call it? */
  readonly cors: boolean;
}
