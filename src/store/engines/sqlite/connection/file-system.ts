import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * Operations on files and folders as a whole; what is inside the files is up to SQLite. Also a seam for tests, which crash
 * between any two calls and lose the names that no `sync` has made durable.
 */
export interface FileSystem {
  exists(path: string): boolean;
  /** Names in a folder. */
  list(folder: string): string[];
  /** Creates a private folder along with its parents. */
  makeFolder(path: string): void;
  /** Creates an empty private file unless it exists. */
  makeFile(path: string): void;
  rename(from: string, to: string): void;
  /** Does nothing if there is no such file. */
  remove(path: string): void;
  /** Makes the current names in a folder survive a power cut. */
  sync(folder: string): void;
}

export const fileSystem: FileSystem = {
  exists: existsSync,
  list: (folder) => readdirSync(folder),
  makeFolder(path) {
    if (!existsSync(path)) {
      fileSystem.makeFolder(dirname(path));
      mkdirSync(path, { mode: 0o700 });
      if (isRoot()) giveFolderToOwner(path);
      fileSystem.sync(dirname(path));
    }
  },
  makeFile(path) {
    // An existing file is never opened: closing it would release the locks that SQLite holds on it in this process.
    if (existsSync(path)) return;
    const file = openSync(path, 'wx', 0o600);
    try {
      giveToOwner(file, dirname(path));
    } finally {
      closeSync(file);
    }
  },
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  sync(folder) {
    if (process.platform === 'win32') return; // Windows opens no directories, and needs no sync
    const directory = openSync(folder, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  },
};

const isRoot = () => process.geteuid?.() === 0;

/** Does not follow a link that the owner may have put in its place meanwhile. */
function giveFolderToOwner(path: string): void {
  const folder = openSync(path, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    giveToOwner(folder, dirname(path));
  } finally {
    closeSync(folder);
  }
}

/** What root creates in the folder of the user who runs the server must belong to that user, or the server could not open it. */
function giveToOwner(file: number, folder: string): void {
  if (!isRoot()) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  try {
    fchownSync(file, uid, gid);
  } catch {} // `doctor` reports who owns it
}

/** Removes the permissions of others: files and folders of earlier versions were open to every user of the machine. */
export function makePrivate(path: string): void {
  const { mode } = statSync(path);
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(path, mode & 0o700);
  } catch (error) {
    if (!isRefused(error)) throw error; // it belongs to somebody else, who has to do it
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EPERM', 'EROFS'].includes(String(error.code));
}
