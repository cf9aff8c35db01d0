import { basename, dirname, join } from 'node:path';
import type { FileSystem } from '../connection/file-system.ts';

/**
 * The names that a project's file can have, all in one folder; T is the token of a creation, replacement or deletion:
 *   shop.db            the project, with `-wal` and `-shm` files while it is open
 *   shop.db.new-T      a draft, which is being created
 *   shop.db.orphan-T   a file that was in the way of a new project though no project owned it: not ours to delete
 */
export const draftOf = (path: string, token: string) => `${path}.new-${token}`;

const draftName = /^(.+\.db)\.new-([0-9a-f]+)(?:-wal|-shm|-journal)?$/;

/** The WAL first: if it is interrupted, the file still has its old name and the rest is done later. */
const parts = ['-wal', ''] as const;

/** Renames a draft to the project's file. Steps that were done before are skipped. */
export function placeDraft(files: FileSystem, path: string, token: string): void {
  const draft = draftOf(path, token);
  const folder = dirname(path);
  if (files.exists(draft)) {
    setAside(files, path, token);
    // Otherwise the second rename could survive a power cut without the first, and the file to be set aside would be lost.
    files.sync(folder);
    files.rename(draft, path);
  }
  files.sync(folder);
}

/** The same, replacing a project's file that nobody has open any more. */
export function replaceFile(files: FileSystem, path: string, token: string): void {
  const draft = draftOf(path, token);
  const folder = dirname(path);
  if (files.exists(draft)) {
    for (const part of ['-wal', '-shm', '-journal']) files.remove(`${path}${part}`);
    // Otherwise the rename could survive a power cut along with the old WAL, which SQLite would apply to the new file.
    files.sync(folder);
    files.rename(draft, path);
  }
  files.sync(folder);
}

/** Also takes a WAL without a file: SQLite would apply it to the next file of that name. */
function setAside(files: FileSystem, path: string, token: string): void {
  const orphan = findInterrupted(files, path) ?? `${path}.orphan-${token}`;
  for (const part of parts) {
    if (files.exists(`${path}${part}`)) files.rename(`${path}${part}`, `${orphan}${part}`);
  }
  files.remove(`${path}-shm`);
}

/** If only the WAL was set aside before an interruption, the file follows it. */
function findInterrupted(files: FileSystem, path: string): string | undefined {
  const folder = dirname(path);
  const logs = files.list(folder).filter((name) => name.startsWith(`${basename(path)}.orphan-`));
  return logs
    .filter((name) => name.endsWith('-wal'))
    .map((name) => join(folder, name.slice(0, -'-wal'.length)))
    .find((orphan) => !files.exists(orphan));
}

/** Durable: once this returns, the files do not come back after a power cut. */
export function removeFiles(files: FileSystem, path: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) {
    if (files.exists(`${path}${part}`)) files.remove(`${path}${part}`);
  }
  files.sync(dirname(path));
}

/** What the first versions called a file that a copy was being written to. */
const earlierDraft = /^.+\.db\.incomplete(?:-wal|-shm|-journal)?$/;

/** Such files are no longer created, so any that exist are left over. */
export function removeEarlierDrafts(files: FileSystem, folder: string): void {
  for (const name of files.list(folder)) if (earlierDraft.test(name)) files.remove(join(folder, name));
}

/** All drafts in a folder, including incomplete ones. */
export function findDrafts(files: FileSystem, folder: string): { path: string; token: string }[] {
  return files.list(folder).flatMap((name) => {
    const [, file, token] = draftName.exec(name) ?? [];
    return file === undefined || token === undefined ? [] : [{ path: join(folder, file), token }];
  });
}
