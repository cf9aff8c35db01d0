import type { Column } from './columns.ts';

/** What goes into the file. */
export interface Contents {
  /** Names the sheet. */
  readonly collection: string;
  readonly columns: readonly Column[];
  /** The names given with `fields`; undefined for records as they are. */
  readonly fields: readonly string[] | undefined;
  /** Begin with a byte order mark, by which Excel knows UTF-8. */
  readonly bom: boolean;
}

/** One kind of file. */
export interface Format {
  readonly extension: string;
  /** For `Content-Type`. */
  readonly type: string;
  /** How many records a file can hold. */
  readonly most?: number;
  open(contents: Contents): FileWriter | Promise<FileWriter>;
}

export type Bytes = Uint8Array<ArrayBuffer>;

/** Makes a file from its beginning to its end. A part may be empty while a compressor holds it back. */
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
