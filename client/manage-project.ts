import type { Backup } from './admin-types.ts';
import type { List, Member, PageOptions } from './auth-types.ts';
import { crud } from './crud.ts';
import type {
  Account,
  AccountChange,
  Definition,
  Delivery,
  ExplainedCaller,
  Explanation,
  ManagedWorkspace,
  NewAccount,
  NewMember,
  NewWebhook,
  Plan,
  ServerKey,
  Stats,
  Webhook,
  WebhookTest,
} from './manage-project-types.ts';
import { encode, queryString } from './query.ts';
import type { CallOptions, Send } from './transport.ts';

type Destructive = CallOptions & { readonly confirm?: 'destructive' | undefined };
type Deleted = Promise<{ readonly _id: string }>;

/** What management does inside one project. */
export interface ManagedProject {
  readonly collections: {
    list(options?: PageOptions): Promise<List<Definition>>;
    view(id: string, options?: CallOptions): Promise<Definition>;
    create(definition: Definition, options?: CallOptions): Promise<Definition>;
    /** A whole definition; what would lose data needs `confirm: 'destructive'`. */
    change(id: string, definition: Partial<Definition>, options?: Destructive): Promise<Definition>;
    /** What `change` would do. */
    plan(id: string, definition: Partial<Definition>, options?: CallOptions): Promise<Plan>;
    delete(id: string, options?: Destructive): Promise<{ readonly id: string }>;
    stats(id: string, options?: CallOptions): Promise<Stats>;
  };
  readonly users: {
    list(
      options?: PageOptions & { readonly search?: string; readonly email?: string },
    ): Promise<List<Account>>;
    view(id: string, options?: CallOptions): Promise<Account>;
    create(account: NewAccount, options?: CallOptions): Promise<Account>;
    update(id: string, change: AccountChange, options?: CallOptions): Promise<Account>;
    delete(id: string, options?: CallOptions): Deleted;
    /** A link for a new password, to be handed over; without a host where the server knows of none. */
    resetLink(
      id: string,
      options?: CallOptions,
    ): Promise<{ readonly link: string; readonly expiresAt: string }>;
    /** For somebody who has lost their phone and the recovery codes. */
    endFactor(id: string, options?: CallOptions): Promise<unknown>;
    /** Signs the user out everywhere. */
    endSessions(id: string, options?: CallOptions): Promise<unknown>;
    impersonate(
      id: string,
      how: { minutes: number; reason: string; workspace?: string },
      options?: CallOptions,
    ): Promise<{ readonly accessToken: string; readonly expiresIn: number }>;
  };
  readonly workspaces: {
    list(options?: PageOptions): Promise<List<ManagedWorkspace>>;
    view(id: string, options?: CallOptions): Promise<ManagedWorkspace>;
    create(workspace: { name: string }, options?: CallOptions): Promise<ManagedWorkspace>;
    update(id: string, change: { name: string }, options?: CallOptions): Promise<ManagedWorkspace>;
    /** Its records stay, for server keys and administrators. */
    delete(id: string, options?: CallOptions): Deleted;
    members(id: string, options?: PageOptions): Promise<List<Member>>;
    addMember(id: string, member: NewMember, options?: CallOptions): Promise<Member>;
    removeMember(id: string, user: string, options?: CallOptions): Deleted;
  };
  readonly keys: {
    list(options?: PageOptions): Promise<List<ServerKey>>;
    /** `key` is there once: it can't be read again. */
    create(
      key: { name: string; access?: 'read' | 'write'; expiresAt?: string },
      options?: CallOptions,
    ): Promise<ServerKey & { readonly key: string }>;
    delete(id: string, options?: CallOptions): Deleted;
  };
  readonly webhooks: {
    list(options?: PageOptions): Promise<List<Webhook>>;
    view(id: string, options?: CallOptions): Promise<Webhook>;
    create(webhook: NewWebhook, options?: CallOptions): Promise<Webhook>;
    update(
      id: string,
      change: Partial<NewWebhook> & { paused?: boolean },
      options?: CallOptions,
    ): Promise<Webhook>;
    delete(id: string, options?: CallOptions): Deleted;
    rotate(id: string, options?: CallOptions): Promise<Webhook>;
    test(id: string, options?: CallOptions): Promise<WebhookTest>;
    deliveries(id: string, options?: PageOptions): Promise<List<Delivery>>;
    replay(id: string, from: { after: string }, options?: CallOptions): Promise<unknown>;
  };
  /** Makes one now; while it is running, ask for it with `admin.backups.view`. */
  backup(options?: CallOptions): Promise<Backup>;
  /** What a caller would get, and why. */
  explain(
    question: { caller: ExplainedCaller; collection: string; method: string; _id?: string },
    options?: CallOptions,
  ): Promise<Explanation>;
}

export function manageProject(send: Send, path: string): ManagedProject {
  const at = (...parts: string[]) => path + parts.map((part) => `/${encode(part)}`).join('');
  const post = <T>(to: string, body: unknown, { signal }: CallOptions = {}) =>
    send<T>('POST', to, { body, signal });
  const put = <T>(id: string, body: { id?: unknown }, query: object, signal: AbortSignal | undefined) =>
    send<T>('PUT', at('collections', id) + queryString({ ...query }), {
      body,
      signal,
      repeatable: (body.id ?? id) === id, // a renamed collection is not found under its old id by a second attempt
    });
  const { update: _, ...collections } = crud(send, at('collections'));
  const { view: __, update: ___, ...keys } = crud(send, at('keys'));
  return {
    collections: {
      ...collections,
      change: (id, body, { signal, ...query } = {}) => put(id, body, query, signal),
      plan: (id, body, { signal } = {}) => put(id, body, { dryRun: true }, signal),
      stats: (id, { signal } = {}) => send('GET', at('collections', id, 'stats'), { signal }),
    },
    users: {
      ...crud(send, at('users')),
      resetLink: (id, call) => post(at('users', id, 'reset'), undefined, call),
      endFactor: (id, { signal } = {}) => send('DELETE', at('users', id, 'totp'), { signal }),
      endSessions: (id, { signal } = {}) => send('DELETE', at('users', id, 'sessions'), { signal }),
      impersonate: (id, how, call) => post(at('users', id, 'impersonate'), how, call),
    },
    workspaces: {
      ...crud(send, at('workspaces')),
      members: (id, call) => crud(send, at('workspaces', id, 'members')).list(call),
      addMember: (id, member, call) => crud(send, at('workspaces', id, 'members')).create(member, call),
      removeMember: (id, user, call) => crud(send, at('workspaces', id, 'members')).delete(user, call),
    },
    keys,
    webhooks: {
      ...crud(send, at('webhooks')),
      rotate: (id, call) => post(at('webhooks', id, 'rotate'), undefined, call),
      test: (id, call) => post(at('webhooks', id, 'test'), undefined, call),
      deliveries: (id, call) => crud(send, at('webhooks', id, 'deliveries')).list(call),
      replay: (id, from, call) => post(at('webhooks', id, 'replay'), from, call),
    },
    backup: (call) => post(at('backups'), undefined, call),
    explain: (question, call) => post(at('explain'), question, call),
  };
}
