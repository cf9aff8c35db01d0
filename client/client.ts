import { createAuth } from './auth.ts';
import type { Auth } from './auth-types.ts';
import {
  type ProjectBatch,
  type ProjectBatchCollections,
  type ProjectBatchResult,
  sendProjectBatch,
  type WriteOptions,
} from './batch.ts';
import { byName, remembered } from './by-name.ts';
import { type Change, type ChangesOptions, changeFeed } from './changes.ts';
import { type Collection, createCollection } from './collection.ts';
import { encode } from './query.ts';
import { createSession, type TokenStorage } from './session.ts';
import { type CallOptions, type Fetch, fixedTokens, type TokenSource, transport } from './transport.ts';
import type { ProjectTypes, TypesOf, UntypedCollection, UntypedProject } from './types.ts';

// All that calls take and give has a name here: without one, nobody could write declarations of what they make with the client.
export type * from './auth-types.ts';
export type {
  Batch,
  BatchResult,
  ProjectBatch,
  ProjectBatchCollections,
  ProjectBatchResult,
  WriteOptions,
} from './batch.ts';
export type { Change, ChangesOptions } from './changes.ts';
export type {
  ChangeOptions,
  Collection,
  Deletion,
  ExportFormat,
  ExportOptions,
  FilterOptions,
  ListOptions,
  ReadOptions,
  Walk,
  WalkOptions,
} from './collection.ts';
export { VitrineError } from './error.ts';
export type * from './query-types.ts';
export { related } from './related.ts';
export type { Listener, TokenStorage, User } from './session.ts';
export type { CallOptions, Fetch, TokenSource } from './transport.ts';
export type * from './types.ts';

export interface ClientOptions {
  readonly project: string;
  /** Where the sign-in is kept; in memory where it is left out. `localStorage` is shared by all tabs. */
  readonly storage?: TokenStorage;
  readonly fetch?: Fetch;
  /** A token to use for everything: a server key, or that of one request. */
  readonly token?: TokenSource;
}

export interface ProjectClient<P extends ProjectTypes> {
  readonly auth: Auth;
  /** A collection by its name: one that is not in the types, or is called like something here. */
  collection<N extends keyof P & string>(name: N): Collection<P, P[N]>;
  collection(name: string): Collection<UntypedProject, UntypedCollection>;
  /** Across collections, all or nothing; the results are in the order of the operations. `fill` may be async. */
  batch(
    fill: (batch: ProjectBatch<P> & ProjectBatchCollections<P>) => unknown,
    options?: WriteOptions,
  ): Promise<readonly ProjectBatchResult[]>;
  /** What is changed in these collections, or in all that the caller may use; resumes by itself. */
  changes<N extends keyof P & string = keyof P & string>(
    options?: ChangesOptions & { readonly collections?: readonly N[] },
  ): AsyncIterable<{ [K in N]: Change<P[K]['record']> & { readonly collection: K | '' } }[N]>;
  /** Where the feed stands now, for `changes({ after })`. */
  position(options?: CallOptions): Promise<string>;
  /** The same project with another token: a server key, or that of one request on a server. */
  as(token: string): Client<P>;
}

export type Client<P extends ProjectTypes> = ProjectClient<P> & {
  readonly [N in Exclude<keyof P, keyof ProjectClient<P>>]: Collection<P, P[N]>;
};

export function createClient<P = UntypedProject>(url: string, options: ClientOptions): Client<TypesOf<P>> {
  const { project, token, fetch = (address, init) => globalThis.fetch(address, init) } = options;
  const base = `${url.replace(/\/+$/, '')}/v1/${encode(project)}`;
  const session = createSession(`vitrine ${base}`, options.storage, () => send);
  const send = transport(base, fetch, token === undefined ? session : fixedTokens(token));
  const collection = remembered((name) => createCollection(send, name));
  const own = {
    ...changeFeed(send, ''),
    auth: createAuth(send, session, base),
    collection,
    batch: (fill: Parameters<typeof sendProjectBatch>[1], options?: WriteOptions) =>
      sendProjectBatch(send, fill, options),
    as: (other: string) => createClient(url, { project, fetch, token: other }),
  };
  return byName(own, collection) as unknown as Client<TypesOf<P>>;
}
