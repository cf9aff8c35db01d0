import { readFile } from 'node:fs/promises';
import { CommandFailure } from '../command.ts';

/** For files named on the command line: an error is one line with the name of the file. */

/** Without the mark that some editors put at the beginning. */
export async function readTextFile(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw unusableFile(path, error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure(`${path}: is not text in UTF-8`);
  }
}

export function unusableFile(path: string, error: unknown): CommandFailure {
  return new CommandFailure(`${path}: ${reasons.get(codeOf(error)) ?? messageOf(error)}`);
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['EISDIR', 'is a folder, not a file'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'is on a disk that can only be read'],
  ['ENOSPC', 'the disk is full'],
]);

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
