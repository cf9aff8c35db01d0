import type {
  Administrator,
  AdministratorFactor,
  AdministratorInvitation,
  AdministratorSignIn,
  AuditEntry,
  AuditFilter,
  AuditPage,
  AuthSettings,
  Backup,
  CurrentAdministrator,
  Project,
} from './admin-types.ts';
import type { List, PageOptions } from './auth-types.ts';
import { type Client, createClient } from './client.ts';
import { crud } from './crud.ts';
import { type ManagedProject, manageProject } from './manage-project.ts';
import { encode } from './query.ts';
import { type CallOptions, type Fetch, fixedTokens, type TokenSource, transport } from './transport.ts';
import type { TypesOf, UntypedProject } from './types.ts';

export type * from './admin-types.ts';
export { VitrineError } from './error.ts';
export type { ManagedProject } from './manage-project.ts';
export type * from './manage-project-types.ts';

export interface AdminOptions {
  /**
   * The administrator's token, or what gives it for each request: whoever signs in keeps the `accessToken` that `login`
   * answers, and hands it out here.
   */
  readonly token?: TokenSource;
  readonly fetch?: Fetch;
}

type Destructive = CallOptions & { readonly confirm?: 'destructive' | undefined };

export interface Admin {
  login(
    credentials: { email: string; password: string },
    options?: CallOptions,
  ): Promise<AdministratorSignIn | AdministratorFactor>;
  /** The second half of a sign-in, where the first answered a `factorToken`. */
  factor(factor: { factorToken: string; code: string }, options?: CallOptions): Promise<AdministratorSignIn>;
  /** Makes an administrator, with the token of a set-up link. */
  setup(
    account: { token: string; email: string; password: string },
    options?: CallOptions,
  ): Promise<AdministratorSignIn>;
  me(options?: CallOptions): Promise<CurrentAdministrator>;
  logout(options?: CallOptions): Promise<unknown>;
  /** For a download that the browser makes by itself, at `url`: one use, one minute. */
  ticket(
    path: string,
    options?: CallOptions,
  ): Promise<{ readonly ticket: string; readonly url: string; readonly expiresIn: number }>;
  readonly totp: {
    start(options?: CallOptions): Promise<{ readonly secret: string; readonly uri: string }>;
    confirm(code: string, options?: CallOptions): Promise<{ readonly recoveryCodes: string[] }>;
    disable(proof: { currentPassword: string; code: string }, options?: CallOptions): Promise<unknown>;
  };
  readonly administrators: {
    list(options?: PageOptions): Promise<List<Administrator>>;
    /** `link` is there once: pass it on. */
    create(
      administrator: { email: string },
      options?: CallOptions,
    ): Promise<AdministratorInvitation & { readonly link: string }>;
    /** Those that nobody has used yet. */
    invitations(options?: PageOptions): Promise<List<AdministratorInvitation>>;
    /** Ends an invitation, by its `_id`. */
    withdraw(id: string, options?: CallOptions): Promise<{ readonly _id: string }>;
    delete(id: string, options?: CallOptions): Promise<{ readonly _id: string }>;
  };
  readonly projects: {
    list(options?: PageOptions): Promise<List<Project>>;
    view(id: string, options?: CallOptions): Promise<Project>;
    create(
      project: { id: string; name?: string; auth?: AuthSettings; changes?: { days: number } },
      options?: CallOptions,
    ): Promise<Project>;
    update(
      id: string,
      change: { name?: string; auth?: AuthSettings; changes?: { days: number } },
      options?: Destructive,
    ): Promise<Project>;
    delete(id: string, options?: Destructive): Promise<{ readonly id: string }>;
  };
  /** What is in one project. */
  project(id: string): ManagedProject;
  /** The records of a project, as the administrator: every one, whatever the levels and switches say. */
  records<P = UntypedProject>(project: string): Client<TypesOf<P>>;
  readonly backups: {
    list(options?: PageOptions & { readonly project?: string }): Promise<List<Backup>>;
    view(id: string, options?: CallOptions): Promise<Backup>;
    delete(id: string, options?: CallOptions): Promise<{ readonly _id: string }>;
    /** The file: `response.body` is a stream. */
    file(id: string, options?: CallOptions): Promise<Response>;
    restore(
      id: string,
      to: { as: string; replace?: boolean },
      options?: CallOptions,
    ): Promise<Project | Backup>;
  };
  audit(options?: PageOptions & AuditFilter): Promise<List<AuditEntry>>;
  /** By cursor, through any number of them: `after` is '' to begin, then the `next` of the answer before. */
  audit(
    options: CallOptions & AuditFilter & { readonly after: string; readonly perPage?: number | undefined },
  ): Promise<AuditPage>;
  /** What the server counts, in the text format of Prometheus. */
  metrics(options?: CallOptions): Promise<string>;
}

export function createAdmin(url: string, options: AdminOptions = {}): Admin {
  const { token, fetch = (address, init) => globalThis.fetch(address, init) } = options;
  const base = url.replace(/\/+$/, '');
  const send = transport(`${base}/v1/_admin`, fetch, fixedTokens(token));
  const open = <T>(path: string, body: unknown, { signal }: CallOptions = {}) =>
    send<T>('POST', path, { body, signal, open: true });
  const post = <T>(path: string, body: unknown, { signal }: CallOptions = {}) =>
    send<T>('POST', path, { body, signal });
  const invitations = crud(send, '/administrators/invitations');
  return {
    login: (body, call) => open('/login', body, call),
    factor: (body, call) => open('/login/totp', body, call),
    setup: (body, call) => open('/setup', body, call),
    me: ({ signal } = {}) => send('GET', '/me', { signal }),
    logout: (call) => post('/logout', undefined, call),
    ticket: (path, call) => post('/ticket', { path }, call),
    totp: {
      start: (call) => post('/totp', undefined, call),
      confirm: (code, call) => post('/totp/confirm', { code }, call),
      disable: (body, { signal } = {}) => send('DELETE', '/totp', { body, signal }),
    },
    administrators: {
      ...crud(send, '/administrators'),
      invitations: invitations.list,
      withdraw: invitations.delete,
    },
    projects: crud(send, '/projects'),
    project: (id) => manageProject(send, `/projects/${encode(id)}`),
    records: <P>(project: string) => createClient<P>(url, { project, fetch, token: token ?? '' }),
    backups: {
      ...crud(send, '/backups'),
      file: (id, { signal } = {}) =>
        send('GET', `/backups/${encode(id)}/file`, { signal }, (response) => response),
      restore: (id, body, call) => post(`/backups/${encode(id)}/restore`, body, call),
    },
    audit: crud(send, '/audit').list as Admin['audit'],
    metrics: ({ signal } = {}) =>
      transport(base, fetch, fixedTokens(token))('GET', '/metrics', { signal }, (response) =>
        response.text(),
      ),
  };
}
