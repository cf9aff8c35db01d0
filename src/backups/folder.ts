import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { idPattern } from '../model/names.ts';
import { type FileSystem, fileSystem } from '../store/engines/sqlite/connection/file-system.ts';
import { readManifest, writeManifest } from './manifest.ts';
import { type BackupPlace, draftParts, fileOf, manifestFileOf, newestFirst, readFileName } from './place.ts';

/** A folder, which nodes may share. The manifest gets its name last, so that a backup exists only when it is complete. */
export function folderPlace(folder: string, files: FileSystem = fileSystem): BackupPlace {
  const at = (path: string) => join(folder, path);
  const names = () =>
    listFiles(files, folder)
      .map(readFileName)
      .filter((name) => name !== undefined);
  return {
    async draft(name) {
      files.makeFolder(dirname(at(fileOf(name))));
      return at(`${fileOf(name)}.incomplete`);
    },
    async discard(name) {
      for (const part of draftParts) files.remove(at(`${fileOf(name)}.incomplete${part}`));
      files.remove(at(`${manifestFileOf(name)}.incomplete`));
      if (!files.exists(at(manifestFileOf(name)))) files.remove(at(fileOf(name))); // it may have filled the disk
    },
    async keep(manifest, confirm) {
      const name = { project: manifest.project, id: manifest._id };
      const [file, beside] = [at(fileOf(name)), at(manifestFileOf(name))];
      files.rename(`${file}.incomplete`, file);
      files.sync(dirname(file));
      await confirm();
      files.makeFile(`${beside}.incomplete`);
      writeAndSync(`${beside}.incomplete`, writeManifest(manifest));
      files.rename(`${beside}.incomplete`, beside);
      files.sync(dirname(file));
    },
    async list() {
      return names()
        .filter(({ kind }) => kind === 'json')
        .sort(newestFirst);
    },
    async findManifest(name) {
      const path = at(manifestFileOf(name));
      return existsSync(path) ? readManifest(readFileSync(path, 'utf8')) : undefined;
    },
    async hasFile(name) {
      return files.exists(at(fileOf(name)));
    },
    async *read(name) {
      for await (const chunk of createReadStream(at(fileOf(name)), { highWaterMark: 256 * 1024 }))
        yield chunk as Uint8Array<ArrayBuffer>;
    },
    async remove(name) {
      if (!files.exists(at(manifestFileOf(name)))) return false;
      files.remove(at(manifestFileOf(name)));
      files.sync(dirname(at(fileOf(name)))); // otherwise the file could be gone and the manifest not
      files.remove(at(fileOf(name)));
      return true;
    },
    async sweep(isOver) {
      const found = names();
      const whole = new Set(found.filter(({ kind }) => kind === 'json').map(({ id }) => id));
      for (const name of found) {
        const { project, id, kind } = name;
        const isDraft = kind.includes('.incomplete');
        if ((!isDraft && whole.has(id)) || !(await isOver(name))) continue;
        // It may have become a backup since the files were listed.
        if (isDraft || !files.exists(at(manifestFileOf(name)))) files.remove(at(`${project}/${id}.${kind}`));
      }
    },
    close() {},
  };
}

/** `shop/….db`; empty if the folder does not exist yet. */
function listFiles(files: FileSystem, folder: string): string[] {
  const inside = (name: string) => {
    try {
      return files.list(join(folder, name));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // There may be files beside the folders of projects, but the folder itself must not be a file.
      if (code === 'ENOENT' || (code === 'ENOTDIR' && name !== '')) return [];
      throw error;
    }
  };
  // There may be other folders, such as the lost+found of a disk.
  const projects = inside('').filter((name) => idPattern.test(name));
  return projects.flatMap((project) => inside(project).map((file) => `${project}/${file}`));
}

function writeAndSync(path: string, text: string): void {
  const file = openSync(path, 'w');
  try {
    writeFileSync(file, text); // all of it: a single write may end early when the disk gets full
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
