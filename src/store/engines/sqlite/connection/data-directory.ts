import { basename, dirname, join } from 'node:path';
import { type FileSystem, makePrivate } from './file-system.ts';

/** `instance.db` lists the projects; everything in a project is in `projects/<id>.db`. */
export interface DataDirectory {
  readonly instance: string;
  readonly projects: string;
}

/**
 * Creates a data directory, or opens an existing one. Everything in it is private to the user running this: it holds password
 * hashes, keys and sessions.
 */
export function openDirectory(files: FileSystem, directory: string): DataDirectory {
  const projects = join(directory, 'projects');
  files.makeFolder(projects);
  files.sync(directory);
  syncIfAllowed(files, dirname(directory));
  for (const folder of [directory, projects]) makePrivate(folder);
  for (const name of files.list(directory)) {
    if (/^(instance\.db|serve\.lock)/.test(name)) protect(join(directory, name));
  }
  for (const name of files.list(projects)) {
    if (/\.db(?![a-z])/.test(name)) protect(join(projects, name));
  }
  return { instance: join(directory, instanceFile), projects };
}

const instanceFile = 'instance.db';

/** The instance's file, given any database file of the data directory. */
export function instanceOf(path: string): string {
  return basename(path) === instanceFile ? path : join(dirname(dirname(path)), instanceFile);
}

/** The file may be removed at the same moment, as a WAL is. */
function protect(path: string): void {
  try {
    makePrivate(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** We may not be allowed to read the parent folder. */
function syncIfAllowed(files: FileSystem, folder: string): void {
  try {
    files.sync(folder);
  } catch {}
}
