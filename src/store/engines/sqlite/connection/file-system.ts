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
 * What is done with files and folders as a whole. What is inside of files is SQLite's; what is here is a seam as well:
 * tests end it between any two calls, and forget the names that no `sync` has made to last.
 */
export interface FileSystem {
  exists(path: string): boolean;
  /** The names in a folder. */
  list(folder: string): string[];
  /** Makes a folder that only we may look into, with those it lies in. */
  makeFolder(path: string): void;
  /** Makes an empty file that only we may read, unless there is one. */
  makeFile(path: string): void;
  rename(from: string, to: string): void;
  /** Does nothing where there is none. */
  remove(path: string): void;
  /** Has the names in a folder, as they are now, survive a power cut. */
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
    // Never opened where it is there: closing it would let go of the locks that SQLite has on it in this process.
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
    if (process.platform === 'win32') return; // which opens no directories, and needs none of it
    const directory = openSync(folder, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  },
};

const isRoot = () => process.geteuid?.() === 0;

/** Not where a link leads that its owner has put into its place meanwhile. */
function giveFolderToOwner(path: string): void {
  const folder = openSync(path, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    giveToOwner(folder, dirname(path));
  } finally {
    closeSync(folder);
  }
}

/** What root makes by a command, in the folder of the user who runs the server, is that user's: the server could not open it. */
function giveToOwner(file: number, folder: string): void {
  if (!isRoot()) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  try {
    fchownSync(file, uid, gid);
  } catch {} // doctor says whose it is
}

/** Takes away what others may do with a file or folder: ones from before were open to every user of the machine. */
export function makePrivate(path: string): void {
  const { mode } = statSync(path);
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(path, mode & 0o700);
  } catch (error) {
    if (!isRefused(error)) throw error; // somebody else's: whoever owns it has to
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EPERM', 'EROFS'].includes(String(error.code));
}
