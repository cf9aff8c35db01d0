import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Renames what the compiler does not: the files of threads, which are strings, and the imports in declarations. */
export function renameSources(folder: string): void {
  for (const file of globSync('**/*.js', { cwd: folder })) {
    rewrite(join(folder, file), /(new URL\('\.[^']*)\.ts('\s*,\s*import\.meta\.url\))/g, '$1.js$2');
  }
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    rewrite(join(folder, file), /((?:from |import\()["']\.[^"']*)\.ts(["'])/g, '$1.js$2');
  }
}

/** Removes the declarations that no entry point of the package uses. */
export function keepDeclarations(folder: string, entries: readonly string[]): void {
  const kept = new Set<string>();
  const keep = (file: string) => {
    if (kept.has(file)) return;
    kept.add(file);
    for (const [, path = ''] of read(file).matchAll(/(?:from |import\()["'](\.[^"']*)\.js["']/g))
      keep(join(dirname(file), `${path}.d.ts`));
  };
  for (const entry of entries) keep(join(folder, `${entry}.d.ts`));
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file);
    if (!kept.has(path)) rmSync(path);
  }
}

/** The packages that the built code imports. */
export function importedPackages(folder: string): Set<string> {
  const names = new Set<string>();
  for (const file of globSync('**/*.js', { cwd: folder })) {
    const imports = read(join(folder, file)).matchAll(/(?:\bfrom|\bimport\(?)\s*["']([^."'][^"']*)["']/g);
    for (const [, path = ''] of imports) names.add(/^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  }
  return names;
}

const read = (path: string) => readFileSync(path, 'utf8');

function rewrite(path: string, pattern: RegExp, by: string): void {
  const text = read(path);
  const changed = text.replace(pattern, by);
  if (changed !== text) writeFileSync(path, changed);
}
