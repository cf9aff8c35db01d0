import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandFailure } from '../command.ts';
import { clearDraft } from '../terminal/draft.ts';
import { unusableFile } from '../terminal/files.ts';
import { writeBytes } from '../terminal/write-bytes.ts';

/** The part of a manifest by which a file is checked. */
export interface Checkable {
  readonly checksum: string;
}

/** Creates an empty draft beside the wanted file, readable by its owner only. It is removed if `work` fails. */
export async function withDraft<T>(file: string, work: (draft: string) => Promise<T>): Promise<T> {
  const draft = await openDraft(file);
  try {
    return await work(draft);
  } catch (error) {
    await removeDraft(draft);
    throw error;
  }
}

async function openDraft(file: string): Promise<string> {
  try {
    const found = await stat(file).catch(() => undefined);
    if (found?.isDirectory()) throw new CommandFailure(`${file}: is a folder, not a file`);
    if (found && !found.isFile()) throw new CommandFailure(`${file}: is a device or a pipe, not a file`);
    await requireManifest(file);
    const draft = await clearDraft(file);
    await (await open(draft, 'wx', 0o600)).close();
    return draft;
  } catch (error) {
    throw error instanceof CommandFailure ? error : unusableFile(file, error);
  }
}

/** Removes also what SQLite may have left beside it. */
async function removeDraft(draft: string): Promise<void> {
  for (const part of ['', '-journal', '-wal', '-shm']) await rm(`${draft}${part}`, { force: true });
}

/** An existing file is replaced by the manifest only if it is a manifest: `vitrine pull` writes files with such names too. */
async function requireManifest(file: string): Promise<void> {
  const manifest = manifestOf(file);
  const text = await readFile(manifest, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw unusableFile(manifest, error);
  });
  if (text === undefined || checksumIn(text) !== undefined) return;
  throw new CommandFailure(
    `${manifest}: is there, and is not the manifest of a backup: name another file with --to`,
  );
}

/** Writes a download to a draft, and verifies its checksum. */
export async function downloadTo(
  draft: string,
  bytes: AsyncIterable<Uint8Array>,
  checksum: string,
): Promise<void> {
  const hash = createHash('sha256');
  const file = await open(draft, 'w', 0o600);
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      await writeBytes(file, chunk);
    }
    await file.sync();
  } catch (error) {
    throw error instanceof CommandFailure ? error : unusableFile(draft, error);
  } finally {
    await file.close();
  }
  if (hash.digest('hex') !== checksum)
    throw new CommandFailure('the file did not arrive as it was made: try again');
}

/** Renames the draft to its final name. At no time is a file beside the manifest of another. */
export async function keepFile<M extends Checkable>(draft: string, file: string, manifest: M): Promise<void> {
  const beside = await clearDraft(manifestOf(file));
  try {
    await rm(manifestOf(file), { force: true });
    await rename(draft, file);
    await writeFile(beside, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    await rename(beside, manifestOf(file));
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(beside, { force: true });
    throw unusableFile(file, error);
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(folder, 'r');
  await directory.sync().finally(() => directory.close());
}

const manifestOf = (file: string) => `${file}.json`;

/** The SHA-256 from the manifest beside a file; undefined if there is no manifest. */
export async function readChecksum(file: string): Promise<string | undefined> {
  const text = await readFile(manifestOf(file), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const checksum = checksumIn(text);
  if (checksum !== undefined) return checksum;
  throw new CommandFailure(
    `${manifestOf(file)}: is not the manifest of a backup: remove it to restore without`,
  );
}

/** undefined: the text is not a manifest. */
function checksumIn(text: string): string | undefined {
  try {
    const { checksum } = JSON.parse(text) as Checkable;
    return typeof checksum === 'string' ? checksum : undefined;
  } catch {
    return undefined;
  }
}
