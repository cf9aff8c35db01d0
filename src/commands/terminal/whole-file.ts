import { constants, createReadStream, type Stats } from 'node:fs';
import { access, type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { CommandFailure } from '../command.ts';
import { clearDraft } from './draft.ts';
import { unusableFile } from './files.ts';
import { writeBytes } from './write-bytes.ts';

/** Replaces a file when the new one is completely written. If that is interrupted, the old file stays. */
export async function writeWholeFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined);
    // A pipe or /dev/null must not be replaced; a file in a folder that is not writable can't be.
    if (found && !(found.isFile() && (await isWritable(dirname(path))))) await writeTo(path, bytes);
    else await replace(found ? await realpath(path) : path, found, bytes);
  } catch (error) {
    throw error instanceof CommandFailure ? error : unusableFile(path, error);
  }
}

/** The same for a text. */
export function writeWholeText(path: string, text: string): Promise<void> {
  return writeWholeFile(path, Readable.from([Buffer.from(text)]));
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
  const draft = await clearDraft(path);
  try {
    const file = await open(draft, 'w', found?.mode);
    const isLike = !found || (await makeLike(file, found));
    await writeAll(file, isLike ? bytes : ifWritable(path, bytes));
    // If owner and mode can't be kept, the file is overwritten in place: its readers might not be allowed to read one of ours.
    if (isLike && (await isRenamed(draft, path))) return;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await writeOver(path, draft);
}

async function writeOver(path: string, draft: string): Promise<void> {
  try {
    await writeTo(path, createReadStream(draft));
  } catch (error) {
    const { message } = unusableFile(path, error);
    throw new CommandFailure(`${message}; all of what was to be in it is in ${draft}`);
  }
  await rm(draft);
}

/** Fails at once if a file can't be written, and not when all data is there. */
async function* ifWritable(path: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  await access(path, constants.W_OK);
  yield* bytes;
}

/** false: it can't be replaced, such as a single file mounted into a container. */
async function isRenamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EBUSY' || code === 'EXDEV') return false;
    throw error;
  }
}

/** Gives a file the owner, group and mode of another. false: not permitted, and the file is readable by us only. */
async function makeLike(file: FileHandle, { uid, gid, mode }: Stats): Promise<boolean> {
  try {
    const own = await file.stat();
    if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid);
    await file.chmod(mode); // also bits that the umask has cleared
    return true;
  } catch {
    await file.chmod(0o600).catch(() => {}); // some file systems have no modes
    return false;
  }
}

async function writeTo(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await writeAll(await open(path, 'w'), bytes);
}

async function writeAll(file: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const part of bytes) await writeBytes(file, part);
  } finally {
    await file.close();
  }
}
