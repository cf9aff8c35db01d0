import { constants, type Stats } from 'node:fs';
import { access, chmod, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandFailure } from '../command.ts';
import { unusableFile } from './files.ts';
import { writeBytes } from './write-bytes.ts';

/** The file gets its name when all of it is there: whatever ends it before, the one of before stays. */
export async function writeWholeFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined);
    // A pipe, or /dev/null, is not to be replaced; what lies in a folder of somebody else can't be.
    if (found && !(found.isFile() && (await isWritable(dirname(path))))) await writeTo(path, bytes);
    else await replace(found ? await realpath(path) : path, found, bytes);
  } catch (error) {
    throw error instanceof CommandFailure ? error : unusableFile(path, error);
  }
}

const isWritable = (folder: string) =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );

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
