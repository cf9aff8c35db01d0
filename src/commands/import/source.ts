import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandFailure } from '../command.ts';

/** A file, or standard input, as text. */
export interface Source {
  readonly name: string;
  /** Bytes; undefined where that can't be known. */
  readonly size: number | undefined;
  /** How many of them have been read. */
  read(): number;
  readonly texts: AsyncIterable<string>;
}

export async function openSource(path: string, stdin: () => AsyncIterable<Uint8Array>): Promise<Source> {
  const name = path === '-' ? 'standard input' : path;
  const size = path === '-' ? undefined : await sizeOf(path);
  const bytes = path === '-' ? stdin() : createReadStream(path);
  let read = 0;
  return { name, size, read: () => read, texts: decode() };

  /** Without a byte order mark. What is not UTF-8 is refused: to replace it would be to change it. */
  async function* decode(): AsyncGenerator<string, void> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for await (const part of bytes) {
        read += part.length;
        yield decoder.decode(part, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new CommandFailure(`not valid UTF-8, before byte ${read}: convert it first`);
    }
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    const { size } = await stat(path);
    return size;
  } catch {
    throw new CommandFailure(`${path}: there is no such file`);
  }
}
