import { Zip, ZipDeflate } from 'fflate';
import { utf8 } from './format.ts';

/** Beyond 4 GiB a ZIP file needs 64-bit fields, which the library does not write: it would be broken. */
const mostBytes = 4 * 1024 ** 3 - 64 * 1024 ** 2;

/** Spreadsheets repeat themselves so much that the fastest level already saves most of what there is to save. */
const level = 1;

/** A ZIP file that comes out in parts. */
export class ZipWriter {
  #parts: Uint8Array[] = [];
  #bytes = 0;
  readonly #zip = new Zip((error, part) => {
    if (error) throw error;
    this.#parts.push(part);
  });

  /** A whole file. */
  add(name: string, text: string): void {
    this.open(name)(text, true);
  }

  /** A file whose text comes piece by piece. */
  open(name: string): (text: string, last?: boolean) => void {
    const file = new ZipDeflate(name, { level });
    this.#zip.add(file);
    return (text, last = false) => {
      const bytes = utf8(text);
      this.#bytes += bytes.length;
      if (this.#bytes > mostBytes) throw new Error('an export does not fit into a file of 4 GB');
      file.push(bytes, last);
    };
  }

  end(): void {
    this.#zip.end();
  }

  /** What has come out since the last time. */
  take(): Uint8Array<ArrayBuffer> {
    const parts = this.#parts;
    this.#parts = [];
    const taken = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of parts) {
      taken.set(part, at);
      at += part.length;
    }
    return taken;
  }
}
