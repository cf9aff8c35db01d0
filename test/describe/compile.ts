import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Of the project, with a slash at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Throws what the compiler says, where it says anything. */
export function compile(files: Readonly<Record<string, string>>): void {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-types-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const names = Object.keys(files).map((name) => join(directory, name));
    const flags =
      '--noEmit --strict --ignoreConfig --skipLibCheck --exactOptionalPropertyTypes --noUncheckedIndexedAccess';
    const target =
      '--allowImportingTsExtensions --module nodenext --target es2024 --lib es2024,dom,dom.iterable --types node';
    const cwd = root;
    execFileSync(join(root, 'node_modules/.bin/tsc'), [...`${flags} ${target}`.split(' '), ...names], {
      encoding: 'utf8',
      cwd,
    });
  } catch (error) {
    throw new Error(`${(error as { stdout: string }).stdout}\n${files['types.ts']}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
