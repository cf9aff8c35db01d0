import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Everything that the server is built of; `package-lock.json` stands for the packages. */
const sources = ['src', 'client', 'console/dist', 'package.json', 'package-lock.json'];

/** Where `build/server.ts` puts the program and its threads: compiled for this very Bun, in a file each. */
export const builtFolder = (root: string): string => join(root, 'dist/server');

/** The file in that folder with what it was made of. */
export const madeOf = 'made-of';

/**
 * The address of the program as it was built, which starts in half the time. undefined: a source has changed since, the checkout was
 * moved, or this is another runtime; then the sources are run as they are.
 */
export function findBuilt(root: string): string | undefined {
  if (!('Bun' in globalThis)) return undefined;
  const folder = builtFolder(root);
  try {
    const known = readFileSync(join(folder, madeOf), 'utf8');
    return known === fingerprint(root) ? pathToFileURL(join(folder, 'command-line.js')).href : undefined;
  } catch {
    return undefined; // it was not built
  }
}

/** Changes with the size or the time of any source, with the place of the checkout and with the runtime. */
export function fingerprint(root: string): string {
  const hash = createHash('sha256').update(`${resolve(root)} ${Bun.version}`);
  for (const name of sources) addTo(hash, resolve(root, name));
  return hash.digest('hex');
}

function addTo(hash: ReturnType<typeof createHash>, path: string): void {
  const found = statSync(path);
  if (found.isDirectory()) for (const name of readdirSync(path).sort()) addTo(hash, join(path, name));
  else hash.update(`${path} ${found.size} ${found.mtime.getTime()}\n`);
}
