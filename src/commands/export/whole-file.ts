import type { Stats } from 'node:fs';
import { chmod, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { CommandFailure } from '../command.ts';
import { unusableFile } from '../terminal/files.ts';
import { writeBytes } from '../terminal/write-bytes.ts';

/** The file gets its name when all of it is there: whatever ends it before, the one of before stays. */
export async function writeWholeFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined);
    if (found && !found.isFile())
      await writeTo(path, bytes); // a pipe, or /dev/null: it is not to be replaced
    else await replace(found ? await realpath(path) : path, found, bytes);
  } catch (error) {
    throw error instanceof CommandFailure ? error : unusableFile(path, error);
  }
}

async function replace(
  path: string,
  found: Stats | undefined,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const draft = `${path}.incomplete`;
  try {
    await rm(draft, { force: true });
    await writeTo(draft, bytes, found?.mode);
    if (found) await chmod(draft, found.mode); // also what the umask took away
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeTo(path: string, bytes: AsyncIterable<Uint8Array>, mode?: number): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    for await (const part of bytes) await writeBytes(file, part);
  } finally {
    await file.close();
  }
}
