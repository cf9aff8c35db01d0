import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandFailure } from '../command.ts';
import { unusableFile } from '../terminal/files.ts';

/** The part of a manifest that says whether a file is the one that was made. */
export interface Checkable {
  readonly checksum: string;
}

/** A file beside the one that is wanted, to be made first: empty, and for its owner alone. */
export async function openDraft(file: string): Promise<string> {
  const draft = `${file}.incomplete`;
  try {
    for (const part of ['', '-journal', '-wal', '-shm']) await rm(`${draft}${part}`, { force: true });
    await (await open(draft, 'wx', 0o600)).close();
    return draft;
  } catch (error) {
    throw unusableFile(file, error);
  }
}

export async function downloadTo(draft: string, { body }: Response, checksum: string): Promise<void> {
  const hash = createHash('sha256');
  const file = await open(draft, 'w', 0o600);
  try {
    if (body) {
      for await (const chunk of body) {
        hash.update(chunk);
        await file.write(chunk);
      }
    }
    await file.sync();
  } catch (error) {
    throw unusableFile(draft, error);
  } finally {
    await file.close();
  }
  if (hash.digest('hex') !== checksum)
    throw new CommandFailure('the file did not arrive as it was made: try again');
}

/** The draft gets its name. Never a file beside the manifest of another. */
export async function keepFile<M extends Checkable>(draft: string, file: string, manifest: M): Promise<void> {
  try {
    await rm(manifestOf(file), { force: true });
    await rename(draft, file);
    await writeFile(`${manifestOf(file)}.incomplete`, `${JSON.stringify(manifest, null, 2)}\n`, {
      mode: 0o600,
    });
    await rename(`${manifestOf(file)}.incomplete`, manifestOf(file));
    await syncFolder(dirname(file));
  } catch (error) {
    throw unusableFile(file, error);
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(folder, 'r');
  await directory.sync().finally(() => directory.close());
}

const manifestOf = (file: string) => `${file}.json`;

/** What the manifest beside a file says its SHA-256 is; undefined: there is none beside it. */
export async function readChecksum(file: string): Promise<string | undefined> {
  const text = await readFile(manifestOf(file), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { checksum } = JSON.parse(text) as Checkable;
    if (typeof checksum === 'string') return checksum;
  } catch {}
  throw new CommandFailure(
    `${manifestOf(file)}: is not the manifest of a backup: remove it to restore without`,
  );
}
