import type { Caller } from '../access/caller.ts';
import type { Scope } from '../access/scope.ts';
import type { ReadTurn } from '../access/turns.ts';
import type { Project } from '../catalog/project.ts';
import type { JsonObject } from '../model/json.ts';
import type { Parameter } from '../query/query-string.ts';
import type { RecordTexts } from '../store/record-texts.ts';
import type { StoredCollection } from '../store/schema.ts';

/** Limits of a request. */
export interface RecordLimits {
  readonly perPage: number;
  readonly batchOperations: number;
  /** The work that a batch may do, as counted by its transaction. */
  readonly batchWork: number;
}

/** A request for records that has passed the checks: the collection exists, the method is open, the caller is known. */
export interface Ask {
  readonly project: Project;
  readonly collection: StoredCollection;
  readonly caller: Caller;
  readonly scope: Scope;
  readonly id: string;
  /** The raw query string, without the `?`. */
  readonly query: string;
  /** The parsed query string. */
  readonly parameters: readonly Parameter[];
  /** The client's IP address. */
  address(): string;
  /** A header of the request, such as If-Match. */
  header(name: string): string | null;
  body(): Promise<JsonObject>;
  readonly limits: RecordLimits;
  /** Most bytes of a record as JSON. */
  readonly recordBytes: number;
  /** Used by the store if the read turns out to be expensive. */
  readonly readTurn: ReadTurn;
  /** Makes the id of a new record. */
  newId(): string;
  /** For long operations: whether the caller's access still holds, as far as the instance, not the project, grants it. */
  isStillSignedIn(): Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The value of `result`, as finished JSON. */
export interface Answer {
  readonly status: 200 | 201 | 304;
  readonly result: string | (() => string);
  readonly etag?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Identifies the result: the same key means the same result, so what is derived from it can be cached. */
  readonly key?: string;
}

/** A page too large to be one text, sent in parts as the client reads them. */
export interface LargeAnswer {
  /** What the value of `result` is put together from, with commas between records. */
  readonly parts: readonly (string | RecordTexts)[];
}

/** A download, produced in parts as the client reads them. */
export interface FileAnswer {
  readonly name: string;
  readonly type: string;
  /** Yields the parts of the file; calling `return` early ends the work. */
  readonly body: AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
}
