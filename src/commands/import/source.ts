import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailure } from '../command.ts';
import { unusableFile } from '../terminal/files.ts';
import { requireGoingOn, untilStopped } from '../terminal/stop.ts';
import { writeBytes } from '../terminal/write-bytes.ts';

/** A file, or standard input, as text. */
export interface Source {
  readonly name: string;
  /** Bytes; undefined if unknown. */
  readonly size: number | undefined;
  /** How many bytes have been read in the current pass. */
  read(): number;
  /** Each call reads from the beginning. Standard input and pipes can be read only once, unless they were opened with `again`. */
  texts(): AsyncIterable<string>;
  /** Also ends a pass that still waits for more. */
  close(): Promise<void>;
}

export interface SourceOptions {
  stdin(): AsyncIterable<Uint8Array>;
  /** Whether it is read more than once. */
  readonly again: boolean;
  readonly signal: AbortSignal;
}

export async function openSource(path: string, options: SourceOptions): Promise<Source> {
  const { again, signal } = options;
  const name = path === '-' ? 'standard input' : path;
  const size = path === '-' ? undefined : await sizeOf(path);
  const begin = path === '-' ? options.stdin : () => createReadStream(path);
  const closed = new AbortController();
  const ended = AbortSignal.any([signal, closed.signal]);
  const bytes = () => untilStopped(ended, begin);
  const close = async () => closed.abort();
  if (size !== undefined || !again) return sourceOf({ name, size, bytes, signal, close });
  return copied(name, bytes(), signal);
}

/** undefined: a pipe or the like, which can be read only once. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new CommandFailure(`${path}: is a folder, not a file`);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    throw error instanceof CommandFailure ? error : unusableFile(path, error);
  }
}

/** Copies what can be read only once into a temporary file, until it is closed. */
async function copied(name: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Source> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-import-')).catch((error) => {
    throw unusableFile(tmpdir(), error);
  });
  const close = () => rm(folder, { recursive: true, force: true });
  const copy = join(folder, 'input');
  try {
    await copyTo(copy, bytes);
    const size = await sizeOf(copy);
    return sourceOf({ name, size, bytes: () => createReadStream(copy), signal, close });
  } catch (error) {
    await close();
    requireGoingOn(signal);
    throw error instanceof CommandFailure ? error : unusableFile(`a copy of ${name} in ${folder}`, error);
  }
}

async function copyTo(path: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for await (const part of parts) await writeBytes(file, part);
  } finally {
    await file.close();
  }
}

interface Opened extends Pick<Source, 'name' | 'size' | 'close'> {
  readonly signal: AbortSignal;
  bytes(): AsyncIterable<Uint8Array>;
}

function sourceOf({ name, size, bytes, signal, close }: Opened): Source {
  let read = 0;
  return { name, size, read: () => read, texts: decode, close };

  /** Removes a byte order mark. Invalid UTF-8 is refused, as replacing it would change the data. */
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
      requireGoingOn(signal);
      if (error instanceof TypeError)
        throw new CommandFailure(`not valid UTF-8, before byte ${read}: convert it first`);
      throw error instanceof CommandFailure ? error : unusableFile(name, error);
    }
  }
}
