import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Manifest, readManifest, writeManifest } from './manifest.ts';
import { type BackupPlace, fileOf, manifestFileOf, newestFirst, readFileName } from './place.ts';

/** A folder, which nodes may share. The manifest gets its name last, so that there is no backup before all of it is there. */
export function folderPlace(folder: string): BackupPlace {
  const at = (path: string) => join(folder, path);
  const names = async () => (await listFiles(folder)).map(readFileName).filter((name) => name !== undefined);
  return {
    async draft(name) {
      await mkdir(dirname(at(fileOf(name))), { recursive: true, mode: 0o700 });
      return at(`${fileOf(name)}.incomplete`);
    },
    async keep(manifest) {
      const name = { project: manifest.project, id: manifest._id };
      const [file, beside] = [at(fileOf(name)), at(manifestFileOf(name))];
      await rename(`${file}.incomplete`, file);
      syncFolder(dirname(file));
      writeFile(`${beside}.incomplete`, manifest);
      await rename(`${beside}.incomplete`, beside);
      for (const each of [dirname(file), folder]) syncFolder(each);
    },
    async list() {
      return (await names()).filter(({ kind }) => kind === 'json').sort(newestFirst);
    },
    async findManifest(name) {
      const path = at(manifestFileOf(name));
      return existsSync(path) ? readManifest(readFileSync(path, 'utf8')) : undefined;
    },
    async *read(name) {
      for await (const chunk of createReadStream(at(fileOf(name)), { highWaterMark: 256 * 1024 }))
        yield chunk as Uint8Array<ArrayBuffer>;
    },
    async remove(name) {
      if (!existsSync(at(manifestFileOf(name)))) return false;
      await rm(at(manifestFileOf(name)), { force: true });
      await rm(at(fileOf(name)), { force: true });
      return true;
    },
    async sweep(working) {
      const found = await names();
      const whole = new Set(found.filter(({ kind }) => kind === 'json').map(({ id }) => id));
      for (const { project, id, kind } of found) {
        if (working.has(id) || (whole.has(id) && !kind.endsWith('.incomplete'))) continue;
        await rm(at(`${project}/${id}.${kind}`), { force: true });
      }
    },
  };
}

/** `shop/….db`; none where there is no folder yet. */
async function listFiles(folder: string): Promise<string[]> {
  const projects = await readdir(folder, { withFileTypes: true }).catch(emptyIfMissing);
  const inside = projects
    .filter((entry) => entry.isDirectory())
    .map(async ({ name }) => {
      const files = await readdir(join(folder, name)).catch(emptyIfMissing);
      return files.map((file) => `${name}/${file}`);
    });
  return (await Promise.all(inside)).flat();
}

function emptyIfMissing(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

function writeFile(path: string, manifest: Manifest): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, writeManifest(manifest));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Has the names in it survive a power cut. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
