import { byName } from './by-name.ts';
import type { Ref, WithRefs } from './query-types.ts';
import type { CallOptions, Send } from './transport.ts';
import type { Bindings, CollectionTypes, ProjectTypes, UntypedRecord } from './types.ts';

export interface WriteOptions extends CallOptions {
  /** For what may be sent again by another call, also after a crash: the server does it once. One is made up otherwise. */
  readonly idempotencyKey?: string | undefined;
}

/** As a call takes them. */
export const onceOf = ({ signal, idempotencyKey }: WriteOptions = {}) => ({
  signal,
  once: idempotencyKey || true,
});

/** Operations of one collection. They run in this order: what is created, what is updated, what is deleted. */
export interface Batch<C extends CollectionTypes> {
  /** Returns a reference that stands for the new `_id` in a relation of a later operation. */
  create(data: WithRefs<C, C['create']> & Partial<Bindings>): Ref;
  update(id: string, data: WithRefs<C, C['update']> & Partial<Bindings>): void;
  delete(id: string): void;
}

export interface BatchResult<C extends CollectionTypes> {
  readonly created: C['record'][];
  readonly updated: C['record'][];
  readonly deleted: string[];
}

/** The record that an operation made or changed; that of a deletion has its `_id` alone. */
export type ProjectBatchResult = Pick<UntypedRecord, '_id'> & Partial<UntypedRecord>;

/** Operations across collections, which run in the order they are named. */
export interface ProjectBatch<P extends ProjectTypes> {
  collection<N extends keyof P & string>(name: N): Batch<P[N]>;
}

export type ProjectBatchCollections<P extends ProjectTypes> = {
  readonly [N in Exclude<keyof P & string, 'collection'>]: Batch<P[N]>;
};

type AnyBatch = Batch<CollectionTypes>;

/** `fill` may be async: the batch is sent when it is done. */
export async function collectBatch(fill: (batch: AnyBatch) => unknown): Promise<object> {
  const body = { create: [] as object[], update: [] as object[], delete: [] as string[] };
  await fill({
    create: (data) => ({ $ref: `create[${body.create.push(data) - 1}]` }),
    update: (id, data) => void body.update.push({ ...data, _id: id }),
    delete: (id) => void body.delete.push(id),
  });
  return body;
}

export async function sendProjectBatch(
  send: Send,
  fill: (batch: ProjectBatch<ProjectTypes> & ProjectBatchCollections<ProjectTypes>) => unknown,
  options: WriteOptions | undefined,
): Promise<readonly ProjectBatchResult[]> {
  const operations: object[] = [];
  const collection = (name: string): AnyBatch => {
    const add = (method: string, rest: object) => operations.push({ method, collection: name, ...rest }) - 1;
    return {
      create: (data) => ({ $ref: `operations[${add('create', { data })}]` }),
      update: (id, data) => void add('update', { id, data }),
      delete: (id) => void add('delete', { id }),
    };
  };
  await fill(byName({ collection }, collection));
  const call = { body: { operations }, ...onceOf(options) };
  const { results } = await send<{ results: ProjectBatchResult[] }>('POST', '/_batch', call);
  return results;
}
