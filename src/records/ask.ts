import type { Caller } from '../access/caller.ts';
import type { Scope } from '../access/scope.ts';
import type { ReadTurn } from '../access/turns.ts';
import type { Project } from '../catalog/project.ts';
import type { JsonObject } from '../model/json.ts';
import type { Parameter } from '../query/query-string.ts';
import type { StoredCollection } from '../store/schema.ts';

/** How much a request may ask for. */
export interface RecordLimits {
  readonly perPage: number;
  readonly batchOperations: number;
  /** Of a batch, as its transaction counts it. */
  readonly batchWork: number;
}

/** A request for records whose way in is settled: the collection is there, the method open, the caller known. */
export interface Ask {
  readonly project: Project;
  readonly collection: StoredCollection;
  readonly caller: Caller;
  readonly scope: Scope;
  readonly id: string;
  /** What stands after the `?`, as it came. */
  readonly query: string;
  /** The same, taken apart. */
  readonly parameters: readonly Parameter[];
  /** Where the request comes from. */
  address(): string;
  /** A header of the request, such as If-Match. */
  header(name: string): string | null;
  /** Reads the request's body. */
  body(): Promise<JsonObject>;
  readonly limits: RecordLimits;
  /** Bytes that a record may have as JSON. */
  readonly recordBytes: number;
  /** For the store, should the read turn out to be expensive. */
  readonly readTurn: ReadTurn;
  /** Of a new record. */
  newId(): string;
  /** For what lasts long: whether the caller's right has not ended meanwhile, as far as it is of the instance and not of the project. */
  isStillSignedIn(): Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What goes under `result`, as finished JSON. */
export interface Answer {
  readonly status: 200 | 201 | 304;
  readonly result: string | (() => string);
  readonly headers?: Readonly<Record<string, string>>;
  /** Names this very result, which is the same whenever the key is: what is made of it can be kept by that. */
  readonly key?: string;
}

/** A download, which comes in parts as the client takes them. */
export interface FileAnswer {
  readonly name: string;
  readonly type: string;
  /** What comes of it is a part of the file; returning it early ends the work. */
  readonly body: AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
}
