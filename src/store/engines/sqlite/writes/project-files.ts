import { basename, dirname, join } from 'node:path';
import type { FileSystem } from '../connection/file-system.ts';

/**
 * The names that a project's file has in its life, all in one folder; T is the token of one making or deleting:
 *   shop.db            the project, with `-wal` and `-shm` beside it while it is open
 *   shop.db.new-T      one that is being made
 *   shop.db.orphan-T   one that was in the way of a new project though no project owned it: not ours to delete
 */
export const draftOf = (path: string, token: string) => `${path}.new-${token}`;

const draftName = /^(.+\.db)\.new-([0-9a-f]+)(?:-wal|-shm|-journal)?$/;

/** The log goes first: whoever is interrupted goes on with the file, which has its old name still. */
const parts = ['-wal', ''] as const;

/** A draft becomes the project's file. Whatever of it was done before is not done again. */
export function placeDraft(files: FileSystem, path: string, token: string): void {
  const draft = draftOf(path, token);
  const folder = dirname(path);
  if (files.exists(draft)) {
    setAside(files, path, token);
    // Or else the second name could last and the first not, and what is to be set aside would be lost.
    files.sync(folder);
    files.rename(draft, path);
  }
  files.sync(folder);
}

/** The same where a project's file, which nobody has open any more, makes room for it. */
export function replaceFile(files: FileSystem, path: string, token: string): void {
  const draft = draftOf(path, token);
  const folder = dirname(path);
  if (files.exists(draft)) {
    for (const part of ['-wal', '-shm', '-journal']) files.remove(`${path}${part}`);
    // Or else the new name could last and the old log too, which SQLite would apply to the new file.
    files.sync(folder);
    files.rename(draft, path);
  }
  files.sync(folder);
}

/** A log without its file is taken along too: SQLite would apply it to the next one of that name. */
function setAside(files: FileSystem, path: string, token: string): void {
  const orphan = findInterrupted(files, path) ?? `${path}.orphan-${token}`;
  for (const part of parts) {
    if (files.exists(`${path}${part}`)) files.rename(`${path}${part}`, `${orphan}${part}`);
  }
  files.remove(`${path}-shm`);
}

/** Where the log went and the file did not get to: it follows its log. */
function findInterrupted(files: FileSystem, path: string): string | undefined {
  const folder = dirname(path);
  const logs = files.list(folder).filter((name) => name.startsWith(`${basename(path)}.orphan-`));
  return logs
    .filter((name) => name.endsWith('-wal'))
    .map((name) => join(folder, name.slice(0, -'-wal'.length)))
    .find((orphan) => !files.exists(orphan));
}

/** For good: what is gone when this returns does not come back after a power cut. */
export function removeFiles(files: FileSystem, path: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) {
    if (files.exists(`${path}${part}`)) files.remove(`${path}${part}`);
  }
  files.sync(dirname(path));
}

/** What the first versions called a file that a copy was still being written to. */
const earlierDraft = /^.+\.db\.incomplete(?:-wal|-shm|-journal)?$/;

/** Nobody makes such files any more, so whatever is there is left over. */
export function removeEarlierDrafts(files: FileSystem, folder: string): void {
  for (const name of files.list(folder)) if (earlierDraft.test(name)) files.remove(join(folder, name));
}

/** All drafts in a folder, also those of which only a part is left. */
export function findDrafts(files: FileSystem, folder: string): { path: string; token: string }[] {
  return files.list(folder).flatMap((name) => {
    const [, file, token] = draftName.exec(name) ?? [];
    return file === undefined || token === undefined ? [] : [{ path: join(folder, file), token }];
  });
}
