import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailure } from '../command.ts';
import { unusableFile } from '../terminal/files.ts';

/** A file, or standard input, as text. */
export interface Source {
  readonly name: string;
  /** Bytes; undefined where that can't be known. */
  readonly size: number | undefined;
  /** How many of them have been read, in the pass under way. */
  read(): number;
  /** Each call reads from the beginning. Standard input can be read once, unless it was opened to be read again. */
  texts(): AsyncIterable<string>;
  close(): Promise<void>;
}

export interface SourceOptions {
  stdin(): AsyncIterable<Uint8Array>;
  /** Whether it is read more than once. */
  readonly again: boolean;
}

export async function openSource(path: string, { stdin, again }: SourceOptions): Promise<Source> {
  if (path !== '-') return fileSource(path, path);
  const name = 'standard input';
  if (!again) return sourceOf(name, undefined, stdin, async () => {});
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-import-'));
  const copy = join(folder, 'input');
  await copyTo(copy, stdin());
  return fileSource(name, copy, () => rm(folder, { recursive: true, force: true }));
}

async function fileSource(name: string, path: string, close = async () => {}): Promise<Source> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new CommandFailure(`${name}: is a folder, not a file`);
    return sourceOf(name, found.size, () => createReadStream(path), close);
  } catch (error) {
    throw error instanceof CommandFailure ? error : unusableFile(name, error);
  }
}

async function copyTo(path: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for await (const part of parts) await file.write(part);
  } finally {
    await file.close();
  }
}

function sourceOf(
  name: string,
  size: number | undefined,
  bytes: () => AsyncIterable<Uint8Array>,
  close: () => Promise<void>,
): Source {
  let read = 0;
  return { name, size, read: () => read, texts: decode, close };

  /** Without a byte order mark. What is not UTF-8 is refused: to replace it would be to change it. */
  async function* decode(): AsyncGenerator<string, void> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    read = 0;
    try {
      for await (const part of bytes()) {
        read += part.length;
        yield decoder.decode(part, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      if (error instanceof TypeError)
        throw new CommandFailure(`not valid UTF-8, before byte ${read}: convert it first`);
      throw error instanceof CommandFailure ? error : unusableFile(name, error);
    }
  }
}
