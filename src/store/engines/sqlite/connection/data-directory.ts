import { basename, dirname, join } from 'node:path';
import { type FileSystem, makePrivate } from './file-system.ts';

/** `instance.db` says which projects there are; `projects/<id>.db` holds all there is of each. */
export interface DataDirectory {
  readonly instance: string;
  readonly projects: string;
}

/**
 * Makes a data directory, or takes one from before. Everything in it is for the user who runs this alone: it holds
 * password hashes, keys and sessions.
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

/** The instance's file, for any of a data directory. */
export function instanceOf(path: string): string {
  return basename(path) === instanceFile ? path : join(dirname(dirname(path)), instanceFile);
}

/** It may be removed at this very moment, as a log is. */
function protect(path: string): void {
  try {
    makePrivate(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** The folder that the directory lies in may be one that we may not read. */
function syncIfAllowed(files: FileSystem, folder: string): void {
  try {
    files.sync(folder);
  } catch {}
}
