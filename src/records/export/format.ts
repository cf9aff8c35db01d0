import type { Column } from './columns.ts';

/** What goes into the file. */
export interface Contents {
  /** The name of the sheet. */
  readonly collection: string;
  readonly columns: readonly Column[];
  /** The names given with `fields`; undefined for whole records. */
  readonly fields: readonly string[] | undefined;
  /** Begins the file with a byte order mark, by which Excel recognises UTF-8. */
  readonly bom: boolean;
}

/** One kind of file. */
export interface Format {
  readonly extension: string;
  /** For `Content-Type`. */
  readonly type: string;
  /** Most records that a file can hold. */
  readonly most?: number;
  open(contents: Contents): FileWriter | Promise<FileWriter>;
}

export type Bytes = Uint8Array<ArrayBuffer>;

/** Writes a file from start to end. A part may be empty while a compressor buffers it. */
export interface FileWriter {
  head(): Bytes | Promise<Bytes>;
  /** `texts` are finished JSON. */
  records(texts: readonly string[]): Bytes | Promise<Bytes>;
  tail(): Bytes | Promise<Bytes>;
}

const encoder = new TextEncoder();

export function utf8(text: string): Bytes {
  return encoder.encode(text);
}
