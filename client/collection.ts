import { type Batch, type BatchResult, collectBatch, onceOf, type WriteOptions } from './batch.ts';
import { type Change, type ChangesOptions, changeFeed, type Feed } from './changes.ts';
import { VitrineError } from './error.ts';
import { encode, queryString } from './query.ts';
import type {
  CreatePayload,
  CursorPage,
  FieldName,
  IncludePath,
  Page,
  Picked,
  Sort,
  UpdatePayload,
  Where,
} from './query-types.ts';
import { type CallOptions, notOurs, readResult, type Send } from './transport.ts';
import type { CollectionTypes, ProjectTypes, ServiceFields } from './types.ts';

export interface FilterOptions<C extends CollectionTypes> extends CallOptions {
  readonly where?: Where<C> | undefined;
  /** Every word, and every "quoted phrase", must occur in the record. */
  readonly search?: string | undefined;
}

export interface ReadOptions<C extends CollectionTypes, F extends string> extends FilterOptions<C> {
  readonly sort?: Sort<C> | readonly Sort<C>[] | undefined;
  /** `_id` is always included. */
  readonly fields?: readonly F[] | undefined;
}

export interface WalkOptions<C extends CollectionTypes, F extends string, I extends string>
  extends ReadOptions<C, F> {
  readonly include?: readonly I[] | undefined;
  /** 1 to 1,000. */
  readonly perPage?: number | undefined;
}

export interface ListOptions<C extends CollectionTypes, F extends string, I extends string>
  extends WalkOptions<C, F, I> {
  /** From 1. */
  readonly page?: number | undefined;
}

export interface ChangeOptions extends WriteOptions {
  /** The record as it was read, or its ETag: a 412 where it has changed since. */
  readonly ifUnchanged?: Pick<ServiceFields, '_id' | '_updatedAt'> | string | undefined;
}

/** Every record that matches, one after the other; the next page is fetched while this one is worked on. */
export interface Walk<R, P> extends AsyncIterable<R> {
  /** The same, page by page. */
  pages(): AsyncIterable<P>;
}

/** What a deletion would do, by collection. */
export interface Deletion {
  readonly deletes: Readonly<Record<string, number>>;
  readonly clears: Readonly<Record<string, number>>;
  readonly restricts: Readonly<Record<string, number>>;
}

export interface ExportOptions<C extends CollectionTypes, F extends string> extends ReadOptions<C, F> {
  /** Begins the CSV file with a byte order mark, by which Excel recognises UTF-8. */
  readonly bom?: boolean | undefined;
}

export type ExportFormat = 'csv' | 'xlsx' | 'json' | 'ndjson';

export interface Collection<P extends ProjectTypes, C extends CollectionTypes> {
  list<F extends FieldName<C> = never, I extends IncludePath<P, C> = never>(
    options?: ListOptions<C, F, I>,
  ): Promise<Page<P, C, F, I>>;
  all<F extends FieldName<C> = never, I extends IncludePath<P, C> = never>(
    options?: WalkOptions<C, F, I>,
  ): Walk<Picked<C, F>, CursorPage<P, C, F, I>>;
  view(id: string, options?: CallOptions): Promise<C['record']>;
  create(data: CreatePayload<C>, options?: WriteOptions): Promise<C['record']>;
  update(id: string, data: UpdatePayload<C>, options?: ChangeOptions): Promise<C['record']>;
  delete(id: string, options?: ChangeOptions): Promise<{ readonly _id: string }>;
  /** What `delete` would delete and change besides; for server keys and the administrator. */
  deletion(id: string, options?: CallOptions): Promise<Deletion>;
  /** The values that occur in these fields, each once. */
  distinct<F extends Exclude<keyof C['record'], keyof ServiceFields> & string>(
    fields: readonly F[],
    options?: FilterOptions<C>,
  ): Promise<{ readonly [N in F]: ElementOf<NonNullable<C['record'][N]>>[] }>;
  /** All or nothing, at most 1,000 operations. A `fill` that is async is waited for. */
  batch(fill: (batch: Batch<C>) => unknown, options?: WriteOptions): Promise<BatchResult<C>>;
  /** Every record that matches, as a file: `response.body` is a stream. */
  export<F extends FieldName<C> = never>(
    format: ExportFormat,
    options?: ExportOptions<C, F>,
  ): Promise<Response>;
  /** What is changed from now on, or has been since a position; resumes by itself. */
  changes<F extends FieldName<C> = never>(
    options?: ChangesOptions & { readonly fields?: readonly F[] },
  ): AsyncIterable<Change<Picked<C, F>>>;
  /** Where the feed stands now, for `changes({ after })`. */
  position(options?: CallOptions): Promise<string>;
}

type ElementOf<V> = V extends readonly (infer E)[] ? E : V;

type AnyCollection = Collection<ProjectTypes, CollectionTypes>;
type AnyPage = CursorPage<ProjectTypes, CollectionTypes, never, never>;
type Query = Readonly<Record<string, unknown>>;

export function createCollection(send: Send, name: string): AnyCollection {
  const path = `/${encode(name)}`;
  const one = (id: string) => `${path}/${encode(id)}`;
  /** The ETags of the records that were answered with one. */
  const tags = new WeakMap<object, string>();

  const readRecord = async (response: Response): Promise<ServiceFields> => {
    const result = await readResult<ServiceFields>(response);
    // A POST that is redirected may have become a GET, which gives the list: nothing was made.
    if (!result._id) throw notOurs(response.status);
    const tag = response.headers.get('etag');
    // A proxy that compresses answers marks their ETags as weak, though they name the same record.
    if (tag) tags.set(result, tag.replace(/^W\//, ''));
    return result;
  };

  const view = (id: string, { signal }: CallOptions = {}) => send('GET', one(id), { signal }, readRecord);

  /** Records of a list come without an ETag: such a record is read again, and must not have changed. */
  async function ifMatch(id: string, { ifUnchanged, signal }: ChangeOptions) {
    if (ifUnchanged === undefined) return undefined;
    if (typeof ifUnchanged === 'string') return { 'if-match': ifUnchanged };
    let tag = tags.get(ifUnchanged);
    if (!tag) {
      const now = await view(id, { signal });
      if (now._updatedAt !== ifUnchanged._updatedAt)
        throw new VitrineError(412, 'The record has changed since it was read');
      tag = tags.get(now);
      if (!tag) throw new VitrineError(412, 'The record came without its ETag: let proxies pass it on');
    }
    return { 'if-match': tag };
  }

  async function* pages({ signal, ...query }: Query & CallOptions): AsyncGenerator<AnyPage> {
    const stop = new AbortController();
    const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const get = (after: string) => {
      const page = send<AnyPage>('GET', path + queryString({ ...query, after }), { signal: both });
      page.catch(() => {}); // thrown where it is awaited, which may be never
      return page;
    };
    try {
      let next: Promise<AnyPage> | undefined = get('');
      while (next) {
        const page: AnyPage = await next;
        signal?.throwIfAborted(); // the page may have arrived before the signal was aborted
        next = page.next === null ? undefined : get(page.next);
        yield page;
      }
    } finally {
      stop.abort();
    }
  }

  const feed: Feed = changeFeed(send, path);

  return {
    ...feed,
    view,
    list: async ({ signal, ...query }: Query & CallOptions = {}) =>
      send('GET', path + queryString(query), { signal }),
    all: (options: Query & CallOptions = {}) => ({
      pages: () => pages(options),
      async *[Symbol.asyncIterator]() {
        for await (const page of pages(options)) {
          for (const record of page.found) {
            options.signal?.throwIfAborted();
            yield record;
          }
        }
      },
    }),
    create: (body: object, options?: WriteOptions) =>
      send('POST', path, { body, ...onceOf(options) }, readRecord),
    update: async (id: string, body: object, options: ChangeOptions = {}) => {
      const headers = await ifMatch(id, options);
      return send('PATCH', one(id), { body, headers, ...onceOf(options) }, readRecord);
    },
    delete: async (id: string, options: ChangeOptions = {}) => {
      const headers = await ifMatch(id, options);
      return send('DELETE', one(id), { headers, ...onceOf(options) });
    },
    deletion: (id: string, { signal }: CallOptions = {}) =>
      send('DELETE', `${one(id)}?dryRun=true`, { signal, repeatable: true }),
    distinct: async (fields: readonly string[], { signal, ...query }: Query & CallOptions = {}) =>
      send('GET', `${path}/distinct${queryString({ ...query, fields })}`, { signal }),
    batch: async (fill: Parameters<typeof collectBatch>[0], options?: WriteOptions) =>
      send('POST', `${path}/batch`, { body: await collectBatch(fill), ...onceOf(options) }),
    export: async (format: ExportFormat, { signal, ...query }: Query & CallOptions = {}) =>
      send('GET', `${path}/export${queryString({ ...query, format })}`, { signal }, (response) => response),
  } as unknown as AnyCollection;
}
